-- Which of these are ids of accounts.
-- $1 ids
SELECT id::text AS id FROM users WHERE id = ANY($1::text[]::uuid[])
