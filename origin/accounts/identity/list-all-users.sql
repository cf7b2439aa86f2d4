-- Every account after this id, sorted by id.
-- $1 afterId
-- $2 limit
SELECT id::text AS id, username, email, password_hash AS "passwordHash", role, status, revision,
  floor(extract(epoch FROM created_at) * 1000)::float8 AS "createdAt",
  floor(extract(epoch FROM updated_at) * 1000)::float8 AS "updatedAt",
  floor(extract(epoch FROM last_login_at) * 1000)::float8 AS "lastLoginAt"
FROM users WHERE id > $1 ORDER BY id LIMIT $2
