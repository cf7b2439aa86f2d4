-- Reads the table of routes, with a version that changes whenever the table does.
-- KEYS[1] routes   string: JSON array of routes
-- ARGV: none
-- Returns {routes or '', version}
local text = redis.call('GET', KEYS[1]) or ''
return { text, redis.sha1hex(text) }
