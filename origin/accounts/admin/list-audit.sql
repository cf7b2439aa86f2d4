-- One page of the audit log, the newest first, each entry with its outcome.
-- $1 beforeId
-- $2 target
-- $3 actor
-- $4 limit
SELECT l.id::float8 AS id, floor(extract(epoch FROM l.at) * 1000)::float8 AS at, l.actor, l.action, l.target, l.before, l.after,
  l.request_id AS "requestId", coalesce(o.outcome, CASE WHEN l.awaits_outcome THEN 'unknown' ELSE 'done' END) AS outcome, o.reason
FROM audit_log l
LEFT JOIN LATERAL (SELECT outcome, reason FROM audit_outcomes WHERE entry_id = l.id ORDER BY is_settled DESC LIMIT 1) o ON true
WHERE ($1::bigint IS NULL OR l.id < $1::bigint) AND ($2::text IS NULL OR l.target = $2::text) AND ($3::text IS NULL OR l.actor = $3::text)
ORDER BY l.id DESC LIMIT $4
