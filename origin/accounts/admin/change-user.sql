-- Changes an account's role and status.
-- $1 id
-- $2 role
-- $3 status
UPDATE users SET role = coalesce($2::text, role), status = coalesce($3::text, status) WHERE id = $1
RETURNING id::text AS id, username, email, password_hash AS "passwordHash", role, status, revision,
  floor(extract(epoch FROM created_at) * 1000)::float8 AS "createdAt",
  floor(extract(epoch FROM updated_at) * 1000)::float8 AS "updatedAt",
  floor(extract(epoch FROM last_login_at) * 1000)::float8 AS "lastLoginAt"
