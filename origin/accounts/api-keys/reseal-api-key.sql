-- The same secret, sealed with the active key, unless another process was first.
-- $1 id
-- $2 sealedBefore
-- $3 sealedAfter
UPDATE api_keys SET sealed_secret = $3, updated_at = clock_timestamp(), revision = revision + 1 WHERE id = $1 AND sealed_secret = $2
RETURNING id, user_id::text AS "userId", label, permissions, cidrs, sealed_secret AS "sealedSecret", revoked_at IS NOT NULL AS "isRevoked", revision,
  floor(extract(epoch FROM expires_at) * 1000)::float8 AS "expiresAt",
  floor(extract(epoch FROM created_at) * 1000)::float8 AS "createdAt",
  floor(extract(epoch FROM updated_at) * 1000)::float8 AS "updatedAt",
  floor(extract(epoch FROM last_used_at) * 1000)::float8 AS "lastUsedAt"
