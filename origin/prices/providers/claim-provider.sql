-- Takes a provider's due time and moves it to the next one, in one statement: the process that gets a row is the only one that fetches for
-- this due time, and if it dies, the next fetch is at the next due time.
-- $1 provider
-- $2 dueAtMs
-- $3 nextDueAtMs
-- $4 nowMs
-- $5 day
-- $6 requests
UPDATE price_providers SET attempted_due_at = due_at, due_at = to_timestamp($3::float8 / 1000), attempted_at = to_timestamp($4::float8 / 1000),
  requests_of_day = CASE WHEN requests_day = $5::date THEN requests_of_day ELSE 0 END + $6::int, requests_day = $5::date
WHERE provider = $1 AND enabled AND due_at = to_timestamp($2::float8 / 1000) AND due_at <= to_timestamp($4::float8 / 1000)
RETURNING provider
