-- A user's own keys at other venues.
-- $1 userId
SELECT id, user_id::text AS "userId", venue, label, sealed_pair AS "sealedPair", floor(extract(epoch FROM created_at) * 1000)::float8 AS "createdAt"
FROM venue_keys WHERE user_id = $1 ORDER BY venue
