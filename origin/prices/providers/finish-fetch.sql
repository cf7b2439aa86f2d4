-- The outcome of a fetch. A null due time keeps the one that the claim has set, or that an admin has set since.
-- $1 provider
-- $2 succeeded
-- $3 nowMs
-- $4 retryAtMs
-- $5 report
UPDATE price_providers SET
  succeeded_at = CASE WHEN $2::boolean THEN to_timestamp($3::float8 / 1000) ELSE succeeded_at END,
  failures = CASE WHEN $2::boolean THEN 0 ELSE failures + 1 END,
  due_at = coalesce(to_timestamp($4::float8 / 1000), due_at),
  report = $5, accepts_jumps = CASE WHEN $2::boolean THEN false ELSE accepts_jumps END
WHERE provider = $1
RETURNING failures
