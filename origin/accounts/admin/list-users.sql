-- One page of accounts, the newest first; the search matches the beginning of a name or an e-mail address.
-- $1 beforeId
-- $2 prefix
-- $3 role
-- $4 status
-- $5 limit
SELECT id::text AS id, username, email, password_hash AS "passwordHash", role, status, revision,
  floor(extract(epoch FROM created_at) * 1000)::float8 AS "createdAt",
  floor(extract(epoch FROM updated_at) * 1000)::float8 AS "updatedAt",
  floor(extract(epoch FROM last_login_at) * 1000)::float8 AS "lastLoginAt"
FROM users
WHERE ($1::uuid IS NULL OR id < $1::uuid)
  AND ($2::text IS NULL OR username LIKE $2::text OR email LIKE $2::text)
  AND ($3::text IS NULL OR role = $3::text)
  AND ($4::text IS NULL OR status = $4::text)
ORDER BY id DESC LIMIT $5
