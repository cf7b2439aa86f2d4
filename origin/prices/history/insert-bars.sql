-- Inserts bars where there are none.
-- $1 rows
INSERT INTO historical_ohlc (item_code, item_type, timeframe, opened_at, date, open, high, low, close, data_points, expected_points,
  is_complete, has_missing_data, source)
SELECT "itemCode", "itemType", timeframe, to_timestamp("openedAtMs" / 1000), date, open, high, low, close, points, expected,
  points >= expected, points < expected, source
FROM jsonb_to_recordset($1::jsonb -> 'rows') AS r("itemCode" text, "itemType" text, timeframe text, "openedAtMs" float8, date date,
  open numeric, high numeric, low numeric, close numeric, points integer, expected integer, source text)
ON CONFLICT (item_code, timeframe, opened_at) DO NOTHING
