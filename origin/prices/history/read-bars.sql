-- The bars of an item as they are stored: each stretch in the finest resolution that still has it.
-- All bars in one text: a row for each would cost several times as much on the way.
-- $1 itemCode
-- $2 fromMs
-- $3 toMs
SELECT coalesce(json_agg(json_build_array("openTime", timeframe, date, open, high, low, close, "dataPoints", "isComplete",
  "hasMissingData", source) ORDER BY "openTime"), '[]')::text AS bars FROM (
SELECT date_part('epoch', opened_at) * 1000 AS "openTime", timeframe, date::text AS date, trim_scale(open)::text AS open,
  trim_scale(high)::text AS high, trim_scale(low)::text AS low, trim_scale(close)::text AS close, data_points AS "dataPoints",
  is_complete AS "isComplete", has_missing_data AS "hasMissingData", source
FROM historical_ohlc
WHERE item_code = $1 AND opened_at >= to_timestamp($2::float8 / 1000) AND opened_at < to_timestamp($3::float8 / 1000)
) b
