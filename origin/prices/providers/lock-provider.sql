-- One provider, locked until the end of the transaction.
-- $1 provider
SELECT provider, name, kind, enabled, description, secrets, (extract(epoch FROM due_at) * 1000)::float8 AS "dueAt",
  (extract(epoch FROM attempted_at) * 1000)::float8 AS "attemptedAt", (extract(epoch FROM succeeded_at) * 1000)::float8 AS "succeededAt",
  failures, requests_day::text AS "requestsDay", requests_of_day AS "requestsOfDay", report, accepts_jumps AS "acceptsJumps"
FROM price_providers WHERE provider = $1 FOR UPDATE
