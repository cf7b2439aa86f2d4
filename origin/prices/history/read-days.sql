-- The bars of an item by the day: stored days as they are, the finer bars of later days merged.
-- All bars in one text: a row for each would cost several times as much on the way.
-- $1 itemCode
-- $2 fromMs
-- $3 toMs
SELECT coalesce(json_agg(json_build_array("openTime", timeframe, date, open, high, low, close, "dataPoints", "isComplete",
  "hasMissingData", source) ORDER BY "openTime"), '[]')::text AS bars FROM (
SELECT date_part('epoch', opened_at) * 1000 AS "openTime", '1d' AS timeframe, date::text AS date, trim_scale(open)::text AS open,
  trim_scale(high)::text AS high, trim_scale(low)::text AS low, trim_scale(close)::text AS close, data_points AS "dataPoints",
  is_complete AS "isComplete", has_missing_data AS "hasMissingData", source
FROM historical_ohlc
WHERE item_code = $1 AND timeframe = '1d' AND opened_at >= to_timestamp($2::float8 / 1000) AND opened_at < to_timestamp($3::float8 / 1000)
UNION ALL
SELECT date_part('epoch', min(opened_at)) * 1000, '1d', date::text, trim_scale((array_agg(open ORDER BY opened_at))[1])::text,
  trim_scale(max(high))::text, trim_scale(min(low))::text, trim_scale((array_agg(close ORDER BY opened_at DESC))[1])::text,
  sum(data_points)::int, bool_and(is_complete), bool_or(has_missing_data),
  CASE WHEN bool_and(source = 'interpolated') THEN 'interpolated' WHEN count(*) = 1 THEN min(source) ELSE 'calculated' END
FROM historical_ohlc
WHERE item_code = $1 AND timeframe IN ('1h', '10m') AND opened_at >= to_timestamp($2::float8 / 1000)
  AND opened_at < to_timestamp($3::float8 / 1000)
GROUP BY date
) b
