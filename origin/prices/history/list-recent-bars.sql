-- The fine bars of all items since a time, in their order.
-- $1 sinceMs
SELECT item_code AS "itemCode", item_type AS "itemType", (extract(epoch FROM opened_at) * 1000)::float8 AS "openedAtMs",
  trim_scale(open)::text AS open, trim_scale(close)::text AS close
FROM historical_ohlc WHERE timeframe = '10m' AND opened_at >= to_timestamp($1::float8 / 1000)
ORDER BY item_code, opened_at
