-- Merges bars into coarser ones and deletes them, in one statement: a kill leaves everything as it was or everything merged, and a second
-- run finds nothing to do. Buckets come from the caller, which knows the calendar.
-- $1 timeframe
-- $2 into
-- $3 buckets
WITH buckets AS (
  SELECT to_timestamp("fromMs" / 1000) AS opens, to_timestamp("toMs" / 1000) AS ends, date, expected
  FROM jsonb_to_recordset($3::jsonb -> 'rows') AS r("fromMs" float8, "toMs" float8, date date, expected integer)
), moved AS (
  DELETE FROM historical_ohlc h USING buckets b
  WHERE h.timeframe = $1 AND h.opened_at >= b.opens AND h.opened_at < b.ends
  RETURNING h.item_code, h.item_type, h.opened_at, h.open, h.high, h.low, h.close, h.volume, h.data_points, h.has_missing_data, h.source,
    b.opens, b.date AS bucket_date, b.expected
)
INSERT INTO historical_ohlc (item_code, item_type, timeframe, opened_at, date, open, high, low, close, volume, data_points, expected_points,
  is_complete, has_missing_data, source)
SELECT item_code, max(item_type), $2, opens, bucket_date, (array_agg(open ORDER BY opened_at))[1], max(high), min(low),
  (array_agg(close ORDER BY opened_at DESC))[1], sum(volume), sum(data_points), max(expected),
  sum(data_points) >= max(expected) AND NOT bool_or(has_missing_data), sum(data_points) < max(expected) OR bool_or(has_missing_data),
  CASE WHEN bool_and(source = 'interpolated') THEN 'interpolated' ELSE 'calculated' END
FROM moved GROUP BY item_code, opens, bucket_date
ON CONFLICT (item_code, timeframe, opened_at) DO UPDATE SET high = greatest(historical_ohlc.high, excluded.high),
  low = least(historical_ohlc.low, excluded.low), close = excluded.close,
  data_points = historical_ohlc.data_points + excluded.data_points, last_updated = now()
RETURNING item_code AS "itemCode"
