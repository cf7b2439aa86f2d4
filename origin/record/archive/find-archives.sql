-- Archive files that may hold an order or an order list.
-- $1 contents
-- $2 id
SELECT path, sha256 FROM order_archives
WHERE contents = $1 AND first_id <= $2::bigint AND last_id >= $2::bigint ORDER BY path LIMIT 50
