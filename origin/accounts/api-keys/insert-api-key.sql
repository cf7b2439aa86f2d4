-- A new key.
-- $1 id
-- $2 userId
-- $3 label
-- $4 permissions
-- $5 cidrs
-- $6 sealedSecret
-- $7 expiresAtMs
INSERT INTO api_keys (id, user_id, label, permissions, cidrs, sealed_secret, expires_at)
VALUES ($1, $2, $3, $4::text[], $5::text[], $6, to_timestamp($7::float8 / 1000))
RETURNING id, user_id::text AS "userId", label, permissions, cidrs, sealed_secret AS "sealedSecret", revoked_at IS NOT NULL AS "isRevoked", revision,
  floor(extract(epoch FROM expires_at) * 1000)::float8 AS "expiresAt",
  floor(extract(epoch FROM created_at) * 1000)::float8 AS "createdAt",
  floor(extract(epoch FROM updated_at) * 1000)::float8 AS "updatedAt",
  floor(extract(epoch FROM last_used_at) * 1000)::float8 AS "lastUsedAt"
