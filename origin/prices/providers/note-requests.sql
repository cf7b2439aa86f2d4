-- Counts requests outside the due times against the provider's limits; returns no row where they are not allowed yet.
-- $1 provider
-- $2 nowMs
-- $3 day
-- $4 requests
-- $5 attemptedBeforeMs
-- $6 requestsMax
UPDATE price_providers SET attempted_at = to_timestamp($2::float8 / 1000),
  requests_of_day = CASE WHEN requests_day = $3::date THEN requests_of_day ELSE 0 END + $4::int, requests_day = $3::date
WHERE provider = $1 AND (attempted_at IS NULL OR attempted_at <= to_timestamp($5::float8 / 1000))
  AND CASE WHEN requests_day = $3::date THEN requests_of_day ELSE 0 END + $4::int <= $6::int
RETURNING provider
