-- Every active key, sorted by id.
-- $1 afterId
-- $2 limit
SELECT id, user_id::text AS "userId", label, permissions, cidrs, sealed_secret AS "sealedSecret", revoked_at IS NOT NULL AS "isRevoked", revision,
  floor(extract(epoch FROM expires_at) * 1000)::float8 AS "expiresAt",
  floor(extract(epoch FROM created_at) * 1000)::float8 AS "createdAt",
  floor(extract(epoch FROM updated_at) * 1000)::float8 AS "updatedAt",
  floor(extract(epoch FROM last_used_at) * 1000)::float8 AS "lastUsedAt"
FROM api_keys WHERE id > $1 AND revoked_at IS NULL ORDER BY id LIMIT $2
