-- Client order ids and references of payments.
-- $1 users
-- $2 kinds
-- $3 references
-- $4 digests
-- $5 orderIds
-- $6 atMs
INSERT INTO order_references (user_id, kind, reference, digest, order_id, at)
SELECT c1, c2, c3, c4, c5::bigint, c6::bigint
FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[]) AS t (c1, c2, c3, c4, c5, c6)
ON CONFLICT (user_id, kind, reference) DO UPDATE SET digest = excluded.digest, order_id = excluded.order_id,
  at = excluded.at
