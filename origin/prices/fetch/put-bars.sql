-- Adds one price to the bar of its ten minutes.
-- $1 rows
INSERT INTO historical_ohlc (item_code, item_type, timeframe, opened_at, date, open, high, low, close, data_points, expected_points,
  is_complete, has_missing_data, source, last_updated, created_at)
SELECT "itemCode", "itemType", '10m', to_timestamp("openedAtMs" / 1000), date, price, price, price, price, 1, expected, true, false,
  source, to_timestamp("nowMs" / 1000), to_timestamp("nowMs" / 1000)
FROM jsonb_to_recordset($1::jsonb -> 'rows') AS r("itemCode" text, "itemType" text, "openedAtMs" float8, date date, price numeric,
  expected integer, source text, "nowMs" float8)
ON CONFLICT (item_code, timeframe, opened_at) DO UPDATE SET high = greatest(historical_ohlc.high, excluded.high),
  low = least(historical_ohlc.low, excluded.low), close = excluded.close, data_points = historical_ohlc.data_points + 1,
  is_complete = true, has_missing_data = false, source = excluded.source, last_updated = excluded.last_updated
