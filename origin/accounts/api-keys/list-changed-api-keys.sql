-- Keys that were created, resealed or revoked since, the oldest change first, after this id of the same millisecond.
-- $1 sinceMs
-- $2 afterId
-- $3 limit
SELECT id, user_id::text AS "userId", label, permissions, cidrs, sealed_secret AS "sealedSecret", revoked_at IS NOT NULL AS "isRevoked", revision,
  floor(extract(epoch FROM expires_at) * 1000)::float8 AS "expiresAt",
  floor(extract(epoch FROM created_at) * 1000)::float8 AS "createdAt",
  floor(extract(epoch FROM updated_at) * 1000)::float8 AS "updatedAt",
  floor(extract(epoch FROM last_used_at) * 1000)::float8 AS "lastUsedAt"
FROM api_keys
WHERE updated_at >= to_timestamp($1::float8 / 1000)
  AND (floor(extract(epoch FROM updated_at) * 1000)::float8, id) > ($1::float8, $2::text)
ORDER BY floor(extract(epoch FROM updated_at) * 1000)::float8, id LIMIT $3
