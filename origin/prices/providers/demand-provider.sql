-- Makes a provider due now for a user's fresh request, if its last attempt is old enough. One of several requests does it.
-- $1 provider
-- $2 nowMs
-- $3 attemptedBeforeMs
UPDATE price_providers SET due_at = to_timestamp($2::float8 / 1000)
WHERE provider = $1 AND enabled AND failures = 0 AND due_at > to_timestamp($2::float8 / 1000)
  AND (attempted_at IS NULL OR attempted_at <= to_timestamp($3::float8 / 1000))
RETURNING provider
