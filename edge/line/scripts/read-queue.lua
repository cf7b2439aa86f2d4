-- Reads a queue's configuration and how full it is, at one instant.
-- KEYS[1] meta     hash
-- KEYS[2] waiting  zset
-- KEYS[3] active   zset
-- KEYS[4] bucket   hash
-- ARGV: none
-- Returns {} when there is no such queue, else {waiting, active, admissionsPerThousandSeconds, freedPerThousandSeconds,
--   presentPerThousand, stillMs, now, name, value, name, value, …}

-- @include "flow"

local meta = redis.call('HGETALL', KEYS[1])
if #meta == 0 then return {} end
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local after_now = '(' .. now
local flow = stored_flow(redis.call('HMGET', KEYS[4], unpack(FLOW_FIELDS)), now)
local admissions, freed, present, still_ms = flow_facts(flow, now)
local waiting, inside = redis.call('ZCARD', KEYS[2]), redis.call('ZCOUNT', KEYS[3], after_now, '+inf')
local answer = { waiting, inside, admissions, freed, present, still_ms, now }
for _, text in ipairs(meta) do answer[#answer + 1] = text end
return answer
