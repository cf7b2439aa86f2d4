-- One entry of the audit log.
-- $1 actorId
-- $2 actor
-- $3 action
-- $4 target
-- $5 before
-- $6 after
-- $7 requestId
-- $8 awaitsOutcome
INSERT INTO audit_log (actor_id, actor, action, target, before, after, request_id, awaits_outcome)
VALUES ($1::uuid, $2, $3, $4, $5::jsonb, $6::jsonb, $7, $8)
RETURNING id::float8 AS id
