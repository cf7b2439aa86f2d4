-- What clients called their orders and payments.
-- $1 users
-- $2 references
-- $3 digests
-- $4 orderIds
-- $5 atMs
INSERT INTO order_references (user_id, reference, digest, order_id, at)
SELECT c1, c2, c3, c4::bigint, c5::bigint FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[]) AS t (c1, c2, c3, c4, c5)
ON CONFLICT (user_id, reference) DO UPDATE SET digest = excluded.digest, order_id = excluded.order_id, at = excluded.at
