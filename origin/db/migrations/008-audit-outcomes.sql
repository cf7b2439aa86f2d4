-- What an admin does to the engine is written down before it happens; what became of it stands in a second row, because the log only grows.
-- Lines that are written in the transaction of what they tell of need none.
ALTER TABLE audit_log ADD COLUMN awaits_outcome boolean NOT NULL DEFAULT false;

CREATE INDEX audit_log_awaiting ON audit_log (at) WHERE awaits_outcome;

CREATE TABLE audit_outcomes (
  entry_id bigint NOT NULL REFERENCES audit_log (id),
  -- At most one row of each: what was known when the answer was given, if that was not the end, and the end.
  is_settled boolean NOT NULL,
  at timestamptz NOT NULL DEFAULT clock_timestamp(),
  outcome text NOT NULL CHECK (outcome IN ('done', 'refused', 'unknown')),
  -- The error code of a refusal, or why it is unknown.
  reason text,
  -- Under which the engine's outcome can be asked for.
  command_id text,
  PRIMARY KEY (entry_id, is_settled),
  CHECK (is_settled OR outcome = 'unknown')
);

CREATE TRIGGER audit_outcomes_is_append_only BEFORE UPDATE OR DELETE ON audit_outcomes FOR EACH ROW EXECUTE FUNCTION audit_log_is_append_only();
CREATE TRIGGER audit_outcomes_is_not_emptied BEFORE TRUNCATE ON audit_outcomes FOR EACH STATEMENT EXECUTE FUNCTION audit_log_is_append_only();
