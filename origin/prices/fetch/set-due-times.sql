-- Under a new schedule, brings due times forward that would be later than it wants.
-- $1 dueAtMs
UPDATE price_providers SET due_at = to_timestamp($1::float8 / 1000) WHERE due_at > to_timestamp($1::float8 / 1000) AND failures = 0
