-- Trading users.
-- $1 users
-- $2 areFrozen
INSERT INTO trading_users (user_id, is_frozen)
SELECT c1, c2::boolean FROM unnest($1::text[], $2::text[]) AS t (c1, c2)
ON CONFLICT (user_id) DO UPDATE SET is_frozen = excluded.is_frozen
