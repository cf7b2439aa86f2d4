-- How many keys of this user are good.
-- $1 userId
SELECT count(*)::int AS count FROM api_keys WHERE user_id = $1 AND revoked_at IS NULL
