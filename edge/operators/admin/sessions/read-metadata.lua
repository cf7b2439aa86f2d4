-- Reads the visitors' metadata of some sessions.
-- KEYS[1..] sessions  hash of one session each
-- ARGV: none
-- Returns {metadata or '', …} in the order of the keys
local answer = {}
for index, key in ipairs(KEYS) do answer[index] = redis.call('HGET', key, 'metadata') or '' end
return answer
