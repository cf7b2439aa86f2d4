-- The outcome of an entry of the audit log; the first one counts.
-- $1 entryId
-- $2 isSettled
-- $3 state
-- $4 reason
-- $5 commandId
INSERT INTO audit_outcomes (entry_id, is_settled, outcome, reason, command_id) VALUES ($1::bigint, $2, $3, $4, $5)
ON CONFLICT (entry_id, is_settled) DO NOTHING
