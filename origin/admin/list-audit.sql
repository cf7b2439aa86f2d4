-- One page of the audit log, the newest first.
-- $1 beforeId
-- $2 target
-- $3 actor
-- $4 limit
SELECT id::float8 AS id, floor(extract(epoch FROM at) * 1000)::float8 AS at, actor, action, target, before, after, request_id AS "requestId"
FROM audit_log
WHERE ($1::bigint IS NULL OR id < $1::bigint) AND ($2::text IS NULL OR target = $2::text) AND ($3::text IS NULL OR actor = $3::text)
ORDER BY id DESC LIMIT $4
