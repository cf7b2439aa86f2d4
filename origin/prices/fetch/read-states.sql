-- Everything that the next price of an item depends on: the last price, today's and yesterday's course, and the last close before today.
-- $1 itemCodes
-- $2 date
-- $3 dayStartMs
SELECT i.item_code AS "itemCode", trim_scale(c.price)::text AS price, t.open::text AS "dayOpen", t.high::text AS "dayHigh",
  t.low::text AS "dayLow", t.data_points AS "dayPoints", y.data_points AS "pointsBefore", trim_scale(h.close)::text AS "closeBefore"
FROM tracked_items i
LEFT JOIN current_prices c ON c.item_code = i.item_code
LEFT JOIN intraday_ohlc t ON t.item_code = i.item_code AND t.date = $2::date
LEFT JOIN intraday_ohlc y ON y.item_code = i.item_code AND y.date = $2::date - 1
LEFT JOIN LATERAL (
  SELECT close FROM historical_ohlc b WHERE b.item_code = i.item_code AND b.opened_at < to_timestamp($3::float8 / 1000)
  ORDER BY b.opened_at DESC LIMIT 1
) h ON true
WHERE i.item_code = ANY ($1::text[])
FOR SHARE OF i
