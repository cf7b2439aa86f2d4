-- A new account.
-- $1 id
-- $2 username
-- $3 email
-- $4 passwordHash
-- $5 role
INSERT INTO users (id, username, email, password_hash, role) VALUES ($1, $2, $3, $4, $5)
RETURNING id::text AS id, username, email, password_hash AS "passwordHash", role, status, revision,
  floor(extract(epoch FROM created_at) * 1000)::float8 AS "createdAt",
  floor(extract(epoch FROM updated_at) * 1000)::float8 AS "updatedAt",
  floor(extract(epoch FROM last_login_at) * 1000)::float8 AS "lastLoginAt"
