-- Keys that are sealed with another version than this one.
-- $1 activePattern
-- $2 limit
SELECT id, user_id::text AS "userId", venue, label, sealed_pair AS "sealedPair", floor(extract(epoch FROM created_at) * 1000)::float8 AS "createdAt"
FROM venue_keys WHERE sealed_pair NOT LIKE $1 ORDER BY id LIMIT $2
