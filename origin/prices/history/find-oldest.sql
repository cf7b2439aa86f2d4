-- When the oldest bar of a resolution began.
-- $1 timeframe
SELECT (extract(epoch FROM min(opened_at)) * 1000)::float8 AS "atMs" FROM historical_ohlc WHERE timeframe = $1
