-- Client order ids and references of payments, page by page.
-- $1 afterUser
-- $2 afterKind
-- $3 afterReference
-- $4 limit
SELECT user_id AS "user", kind, reference, digest, order_id::text AS "orderId", at::text AS at
FROM order_references WHERE (user_id, kind, reference) > ($1, $2, $3)
ORDER BY user_id, kind, reference LIMIT $4::integer
