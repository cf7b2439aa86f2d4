-- Reads which queues there are and which addresses lead to them.
-- KEYS[1] queues   set: queue ids
-- KEYS[2] routes   string: JSON array of routes
-- ARGV: none
-- Returns {routes or '', id, id, …}
local answer = { redis.call('GET', KEYS[2]) or '' }
for _, id in ipairs(redis.call('SMEMBERS', KEYS[1])) do answer[#answer + 1] = id end
return answer
