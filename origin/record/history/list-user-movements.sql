-- Deposits, withdrawals and transfers of a user up to a time, newest first.
-- $1 user
-- $2 toMs
-- $3 limit
SELECT cause AS id, kind, currency, amount::text AS amount, reference,
  round(extract(epoch FROM posted_at) * 1000)::bigint::text AS at
FROM postings p
WHERE p.account = $1 AND p.kind IN ('deposit', 'withdrawal', 'transfer')
  AND p.posted_at <= to_timestamp($2::float8 / 1000)
ORDER BY p.posted_at DESC, p.sequence DESC, p.number DESC LIMIT $3::integer
