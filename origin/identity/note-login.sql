-- When somebody signed in last.
-- $1 id
-- $2 atMs
UPDATE users SET last_login_at = greatest(last_login_at, to_timestamp($2::float8 / 1000)) WHERE id = $1
RETURNING id::text AS id, username, email, password_hash AS "passwordHash", role, status, revision,
  floor(extract(epoch FROM created_at) * 1000)::float8 AS "createdAt",
  floor(extract(epoch FROM updated_at) * 1000)::float8 AS "updatedAt",
  floor(extract(epoch FROM last_login_at) * 1000)::float8 AS "lastLoginAt"
