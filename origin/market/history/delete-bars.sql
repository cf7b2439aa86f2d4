-- Bars of a pair that begin in a range.
-- $1 symbol
-- $2 from
-- $3 to
DELETE FROM market_ohlc WHERE symbol = $1 AND open_time BETWEEN $2::bigint AND $3::bigint
