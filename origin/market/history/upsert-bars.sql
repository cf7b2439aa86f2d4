-- Bars of one tier, one array per column; a bar with fewer trades never replaces one with more.
-- $1 tf
-- $2 source
-- $3 symbols
-- $4 openTimes
-- $5 texts
-- $6 complete
INSERT INTO market_ohlc (
  symbol, tf, open_time, open, high, low, close, volume, quote_volume, trades, taker_buy_volume,
  taker_buy_quote_volume, first_trade, last_trade, is_complete, has_missing_data, source
)
SELECT symbol, $1, open_time, f[1]::numeric, f[2]::numeric, f[3]::numeric, f[4]::numeric, f[5]::numeric, f[6]::numeric,
  f[7]::bigint, f[8]::numeric, f[9]::numeric, f[10]::bigint, f[11]::bigint, is_complete,
  f[11]::bigint - f[10]::bigint + 1 <> f[7]::bigint, $2
FROM (
  SELECT unnest($3::text[]) AS symbol, unnest($4::bigint[]) AS open_time,
    string_to_array(unnest($5::text[]), ',') AS f, unnest($6::boolean[]) AS is_complete
) AS bars
ON CONFLICT (symbol, tf, open_time) DO UPDATE SET
  open = excluded.open, high = excluded.high, low = excluded.low, close = excluded.close, volume = excluded.volume,
  quote_volume = excluded.quote_volume, trades = excluded.trades, taker_buy_volume = excluded.taker_buy_volume,
  taker_buy_quote_volume = excluded.taker_buy_quote_volume, first_trade = excluded.first_trade,
  last_trade = excluded.last_trade, is_complete = excluded.is_complete, has_missing_data = excluded.has_missing_data,
  source = excluded.source, updated_at = now(),
  revision = market_ohlc.revision + CASE WHEN market_ohlc.is_complete THEN 1 ELSE 0 END
WHERE excluded.last_trade > market_ohlc.last_trade OR excluded.source = 'rebuild'
  OR (excluded.is_complete AND NOT market_ohlc.is_complete)
