-- A day of minutes in the archive. A day that is archived again has a new checksum.
-- $1 symbol
-- $2 day
-- $3 path
-- $4 bars
-- $5 sha256
INSERT INTO candle_archives (symbol, day, path, bars, sha256) VALUES ($1, $2::integer, $3, $4::integer, $5)
ON CONFLICT (symbol, day) DO UPDATE SET path = excluded.path, bars = excluded.bars, sha256 = excluded.sha256,
  archived_at = now()
