-- Trading users, page by page.
-- $1 after
-- $2 limit
SELECT user_id AS "user", is_frozen AS "isFrozen", cancel_at::text AS "cancelAt"
FROM trading_users WHERE user_id > $1 ORDER BY user_id LIMIT $2::integer
