-- Records when these users last signed in.
-- $1 ids
-- $2 timesMs
UPDATE users SET last_login_at = greatest(last_login_at, to_timestamp(noted.at_ms::float8 / 1000))
FROM unnest($1::text[], $2::text[]) AS noted (id, at_ms) WHERE users.id = noted.id::uuid
RETURNING users.id::text AS id, username, email, password_hash AS "passwordHash", role, status, revision,
  floor(extract(epoch FROM created_at) * 1000)::float8 AS "createdAt",
  floor(extract(epoch FROM updated_at) * 1000)::float8 AS "updatedAt",
  floor(extract(epoch FROM last_login_at) * 1000)::float8 AS "lastLoginAt"
