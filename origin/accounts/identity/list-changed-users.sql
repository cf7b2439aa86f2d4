-- Accounts that were changed since, the oldest change first, after this id of the same millisecond.
-- $1 sinceMs
-- $2 afterId
-- $3 limit
SELECT id::text AS id, username, email, password_hash AS "passwordHash", role, status, revision,
  floor(extract(epoch FROM created_at) * 1000)::float8 AS "createdAt",
  floor(extract(epoch FROM updated_at) * 1000)::float8 AS "updatedAt",
  floor(extract(epoch FROM last_login_at) * 1000)::float8 AS "lastLoginAt"
FROM users
WHERE updated_at >= to_timestamp($1::float8 / 1000)
  AND (floor(extract(epoch FROM updated_at) * 1000)::float8, id) > ($1::float8, $2::uuid)
ORDER BY floor(extract(epoch FROM updated_at) * 1000)::float8, id LIMIT $3
