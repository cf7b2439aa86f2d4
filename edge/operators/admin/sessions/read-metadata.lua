-- Reads what the visitors' programs said about some sessions.
-- KEYS[1..n] session  hash of one session each; the last ones may be the same
-- ARGV: none
-- Returns {metadata or '', …} in the order of the keys
local answer = {}
for index, key in ipairs(KEYS) do answer[index] = redis.call('HGET', key, 'metadata') or '' end
return answer
