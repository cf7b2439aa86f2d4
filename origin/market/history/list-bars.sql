-- Bars of some tiers in a range, ascending. Prices and quantities without trailing zeros, as in Redis.
-- $1 symbol
-- $2 tfs
-- $3 from
-- $4 to
SELECT open_time::text AS "openTime", concat_ws(',', trim_scale(open), trim_scale(high), trim_scale(low),
  trim_scale(close), trim_scale(volume), trim_scale(quote_volume), trades, trim_scale(taker_buy_volume),
  trim_scale(taker_buy_quote_volume), first_trade, last_trade) AS text
FROM market_ohlc
WHERE symbol = $1 AND tf = ANY($2::text[]) AND open_time BETWEEN $3::bigint AND $4::bigint
ORDER BY open_time
