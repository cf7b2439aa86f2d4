-- The bars of an item by the hour; older stretches by the day. Hours in Tehran begin half past an hour of UTC.
-- All bars in one text: a row for each would cost several times as much on the way.
-- $1 itemCode
-- $2 fromMs
-- $3 toMs
WITH bars AS (
  SELECT *, date_bin('1 hour', opened_at, TIMESTAMPTZ '2000-01-01 20:30:00+00') AS hour FROM historical_ohlc
  WHERE item_code = $1 AND opened_at >= to_timestamp($2::float8 / 1000) AND opened_at < to_timestamp($3::float8 / 1000)
)
SELECT coalesce(json_agg(json_build_array("openTime", timeframe, date, open, high, low, close, "dataPoints", "isComplete",
  "hasMissingData", source) ORDER BY "openTime"), '[]')::text AS bars FROM (
SELECT date_part('epoch', hour) * 1000 AS "openTime", CASE WHEN bool_and(timeframe = '1d') THEN '1d' ELSE '1h' END AS timeframe,
  min(date)::text AS date, trim_scale((array_agg(open ORDER BY opened_at))[1])::text AS open, trim_scale(max(high))::text AS high,
  trim_scale(min(low))::text AS low, trim_scale((array_agg(close ORDER BY opened_at DESC))[1])::text AS close,
  sum(data_points)::int AS "dataPoints", bool_and(is_complete) AS "isComplete", bool_or(has_missing_data) AS "hasMissingData",
  CASE WHEN bool_and(source = 'interpolated') THEN 'interpolated' WHEN count(*) = 1 THEN min(source) ELSE 'calculated' END AS source
FROM bars GROUP BY hour
) b
