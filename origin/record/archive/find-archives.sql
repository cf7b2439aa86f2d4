-- Archive files that may hold an order.
-- $1 id
SELECT path, sha256 FROM order_archives WHERE first_id <= $1::bigint AND last_id >= $1::bigint ORDER BY path LIMIT 50
