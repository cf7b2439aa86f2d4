-- Writes the snapshot of a book, unless one of a later commit is stored: a stalled worker must not overwrite its
-- successor's.
-- KEYS[1] snapshot  v1:book:snapshot:<pair>
-- ARGV: 1 sequence of the commit, 2 snapshot as JSON, which begins with its sequence
-- Returns 1, or 0 when a later one is there.
local stored = redis.call('GETRANGE', KEYS[1], 0, 40)
local sequence = tonumber(string.match(stored, '^{"sequence":(%d+)') or '0')
if sequence > tonumber(ARGV[1]) then return 0 end
redis.call('SET', KEYS[1], ARGV[2])
return 1
