-- Inserts a provider or replaces its description. A changed one is due at once, without the failures of the previous description.
-- $1 provider
-- $2 name
-- $3 kind
-- $4 enabled
-- $5 description
-- $6 secrets
-- $7 dueAtMs
-- $8 replaces
INSERT INTO price_providers (provider, name, kind, enabled, description, secrets, due_at)
VALUES ($1, $2, $3, $4, $5, $6, to_timestamp($7::float8 / 1000))
ON CONFLICT (provider) DO UPDATE SET name = excluded.name, kind = excluded.kind, enabled = excluded.enabled,
  description = excluded.description, secrets = excluded.secrets, due_at = excluded.due_at, failures = 0, updated_at = now()
WHERE $8::boolean
RETURNING provider
