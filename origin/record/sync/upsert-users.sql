-- Trading users.
-- $1 users
-- $2 areFrozen
-- $3 cancelAt
INSERT INTO trading_users (user_id, is_frozen, cancel_at)
SELECT c1, c2::boolean, nullif(c3, '')::bigint FROM unnest($1::text[], $2::text[], $3::text[]) AS t (c1, c2, c3)
ON CONFLICT (user_id) DO UPDATE SET is_frozen = excluded.is_frozen, cancel_at = excluded.cancel_at
