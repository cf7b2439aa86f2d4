-- Records an archive file; a retry after a crash writes the same file again.
-- $1 path
-- $2 firstId
-- $3 lastId
-- $4 orders
-- $5 sha256
-- $6 contents
INSERT INTO order_archives (path, first_id, last_id, orders, sha256, contents)
VALUES ($1, $2::bigint, $3::bigint, $4, $5, $6)
ON CONFLICT (path) DO UPDATE SET first_id = excluded.first_id, last_id = excluded.last_id, orders = excluded.orders,
  sha256 = excluded.sha256
