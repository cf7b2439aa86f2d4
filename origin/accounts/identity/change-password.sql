-- Replaces a hash that is still the one that was checked: of two concurrent changes, one succeeds.
-- $1 id
-- $2 hashBefore
-- $3 hashAfter
UPDATE users SET password_hash = $3 WHERE id = $1 AND password_hash = $2
RETURNING id::text AS id, username, email, password_hash AS "passwordHash", role, status, revision,
  floor(extract(epoch FROM created_at) * 1000)::float8 AS "createdAt",
  floor(extract(epoch FROM updated_at) * 1000)::float8 AS "updatedAt",
  floor(extract(epoch FROM last_login_at) * 1000)::float8 AS "lastLoginAt"
