-- The archived days of a pair in a range.
-- $1 symbol
-- $2 firstDay
-- $3 lastDay
SELECT day, path, sha256 FROM candle_archives
WHERE symbol = $1 AND day BETWEEN $2::integer AND $3::integer
ORDER BY day
