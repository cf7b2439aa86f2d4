-- Entries of the audit log without an outcome, the oldest first.
-- $1 sinceMs
-- $2 limit
SELECT l.id::float8 AS id, floor(extract(epoch FROM l.at) * 1000)::float8 AS "atMs", l.action, l.target, l.after, o.command_id AS "commandId"
FROM audit_log l LEFT JOIN audit_outcomes o ON o.entry_id = l.id AND NOT o.is_settled
WHERE l.awaits_outcome AND l.at >= to_timestamp($1::float8 / 1000)
  AND NOT EXISTS (SELECT 1 FROM audit_outcomes s WHERE s.entry_id = l.id AND s.is_settled)
ORDER BY l.at, l.id LIMIT $2
