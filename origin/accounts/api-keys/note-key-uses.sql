-- Records when these keys were last used, to the minute.
-- $1 ids
-- $2 timesMs
UPDATE api_keys SET last_used_at = greatest(last_used_at, to_timestamp(noted.at_ms::float8 / 1000))
FROM unnest($1::text[], $2::text[]) AS noted (id, at_ms) WHERE api_keys.id = noted.id
