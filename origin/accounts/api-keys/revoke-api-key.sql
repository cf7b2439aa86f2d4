-- Revokes a key of this user.
-- $1 id
-- $2 userId
UPDATE api_keys SET revoked_at = now(), updated_at = clock_timestamp(), revision = revision + 1
WHERE id = $1 AND user_id = $2 AND revoked_at IS NULL
RETURNING id, user_id::text AS "userId", label, permissions, cidrs, sealed_secret AS "sealedSecret", revoked_at IS NOT NULL AS "isRevoked", revision,
  floor(extract(epoch FROM expires_at) * 1000)::float8 AS "expiresAt",
  floor(extract(epoch FROM created_at) * 1000)::float8 AS "createdAt",
  floor(extract(epoch FROM updated_at) * 1000)::float8 AS "updatedAt",
  floor(extract(epoch FROM last_used_at) * 1000)::float8 AS "lastUsedAt"
