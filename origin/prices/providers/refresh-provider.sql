-- Makes a provider due now, at the wish of an admin, who may also accept prices that jump.
-- $1 provider
-- $2 nowMs
-- $3 acceptsJumps
UPDATE price_providers SET due_at = to_timestamp($2::float8 / 1000), accepts_jumps = $3::boolean
WHERE provider = $1 AND enabled
RETURNING provider
