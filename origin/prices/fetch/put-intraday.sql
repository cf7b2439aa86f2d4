-- Today's course of each item.
-- $1 rows
INSERT INTO intraday_ohlc (item_code, date, date_jalali, open, high, low, close, data_points, update_count, first_update, last_update,
  created_at)
SELECT "itemCode", date, "dateJalali", open, high, low, close, points, 1, to_timestamp("nowMs" / 1000), to_timestamp("nowMs" / 1000),
  to_timestamp("nowMs" / 1000)
FROM jsonb_to_recordset($1::jsonb -> 'rows') AS r("itemCode" text, date date, "dateJalali" text, open numeric, high numeric, low numeric,
  close numeric, points jsonb, "nowMs" float8)
ON CONFLICT (item_code, date) DO UPDATE SET high = excluded.high, low = excluded.low, close = excluded.close,
  data_points = excluded.data_points, update_count = intraday_ohlc.update_count + 1, last_update = excluded.last_update
