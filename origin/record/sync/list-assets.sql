-- Balances, page by page.
-- $1 afterUser
-- $2 afterCurrency
-- $3 limit
SELECT user_id AS "user", currency, available::text AS available, frozen::text AS frozen
FROM assets WHERE (user_id, currency) > ($1, $2) ORDER BY user_id, currency LIMIT $3::integer
