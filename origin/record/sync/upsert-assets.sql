-- Current balances.
-- $1 users
-- $2 currencies
-- $3 available
-- $4 frozen
-- $5 atMs
INSERT INTO assets (user_id, currency, available, frozen, updated_at)
SELECT c1, c2, c3::numeric, c4::numeric, to_timestamp($5::text::float8 / 1000)
FROM unnest($1::text[], $2::text[], $3::text[], $4::text[]) AS t (c1, c2, c3, c4)
ON CONFLICT (user_id, currency) DO UPDATE SET available = excluded.available, frozen = excluded.frozen,
  updated_at = excluded.updated_at
