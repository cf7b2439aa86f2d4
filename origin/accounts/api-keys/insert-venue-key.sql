-- A user's own key at another venue.
-- $1 id
-- $2 userId
-- $3 venue
-- $4 label
-- $5 sealedPair
INSERT INTO venue_keys (id, user_id, venue, label, sealed_pair) VALUES ($1, $2, $3, $4, $5)
RETURNING id, user_id::text AS "userId", venue, label, sealed_pair AS "sealedPair", floor(extract(epoch FROM created_at) * 1000)::float8 AS "createdAt"
