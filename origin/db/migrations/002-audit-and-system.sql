-- Who did what to whom. Written by admins' actions in the same transaction; nothing here is ever changed or taken out.
CREATE TABLE audit_log (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- Null: the command line of the machine itself.
  actor_id uuid REFERENCES users (id),
  actor text NOT NULL,
  action text NOT NULL CHECK (action ~ '^[a-z]+(\.[a-z_]+)+$'),
  target text NOT NULL,
  before jsonb,
  after jsonb,
  request_id text
);

CREATE INDEX audit_log_target ON audit_log (target, id);
CREATE INDEX audit_log_actor ON audit_log (actor, id);

CREATE FUNCTION audit_log_is_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the audit log only grows';
END
$$;

CREATE TRIGGER audit_log_is_append_only BEFORE UPDATE OR DELETE ON audit_log FOR EACH ROW EXECUTE FUNCTION audit_log_is_append_only();
CREATE TRIGGER audit_log_is_not_emptied BEFORE TRUNCATE ON audit_log FOR EACH STATEMENT EXECUTE FUNCTION audit_log_is_append_only();

-- Settings of the whole venue: one row.
CREATE TABLE system_settings (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  maintenance_mode boolean NOT NULL DEFAULT false,
  maintenance_message text NOT NULL DEFAULT '' CHECK (char_length(maintenance_message) <= 500),
  max_open_orders integer NOT NULL DEFAULT 50 CHECK (max_open_orders BETWEEN 1 AND 10000),
  min_volume_filter numeric(30, 8) NOT NULL DEFAULT 10000000 CHECK (min_volume_filter >= 0),
  revision integer NOT NULL DEFAULT 1 CHECK (revision >= 1),
  updated_at timestamptz NOT NULL DEFAULT now()
);

INSERT INTO system_settings DEFAULT VALUES;
