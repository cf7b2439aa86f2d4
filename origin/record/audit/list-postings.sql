-- Postings of a range of entries.
-- $1 after
-- $2 upTo
SELECT sequence::text AS sequence, account, currency, amount::text AS amount, kind, cause, reference,
  round(extract(epoch FROM posted_at) * 1000)::bigint::text AS "atMs"
FROM postings p WHERE p.sequence > $1::bigint AND p.sequence <= $2::bigint ORDER BY p.sequence, p.number
