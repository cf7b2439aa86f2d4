-- What clients called their orders and payments, page by page.
-- $1 afterUser
-- $2 afterReference
-- $3 limit
SELECT user_id AS "user", reference, digest, order_id::text AS "orderId", at::text AS at
FROM order_references WHERE (user_id, reference) > ($1, $2) ORDER BY user_id, reference LIMIT $3::integer
