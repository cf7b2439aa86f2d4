-- How many active keys this user has.
-- $1 userId
SELECT count(*)::int AS count FROM api_keys WHERE user_id = $1 AND revoked_at IS NULL
