-- When a key was used last, to the minute.
-- $1 id
-- $2 atMs
UPDATE api_keys SET last_used_at = greatest(last_used_at, to_timestamp($2::float8 / 1000)) WHERE id = $1
