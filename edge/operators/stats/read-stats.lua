-- Reads how full a queue is and what it has counted, at one instant. Costs the same however long the line is.
-- KEYS[1] meta     hash, as in event.lua
-- KEYS[2] waiting  zset
-- KEYS[3] active   zset
-- KEYS[4] ready    zset
-- KEYS[5] bucket   hash
-- KEYS[6] stats    hash: see tally.lua
-- ARGV[1] fields   JSON array of the fields of stats to read, or '' for all
-- ARGV[2] now      as in event.lua
-- Returns {} when there is no such queue, else {now, waiting, ready, active, admissionsPerThousandSeconds,
--   freedPerThousandSeconds, presentPerThousand, stillMs, phase, mode, maxActive, admissionRate, field, value, field,
--   value, …}

-- @include "../../line/scripts/event"
-- @include "../../line/scripts/flow"

local WAITING, ACTIVE, READY, BUCKET, STATS = unpack(KEYS, 2, 6)
if not mode then return {} end
local after_now = '(' .. now
local flow = stored_flow(redis.call('HMGET', BUCKET, unpack(FLOW_FIELDS)), now)
local admissions, freed, present, still_ms = flow_facts(flow, now)
local answer = {
  now, redis.call('ZCARD', WAITING), redis.call('ZCARD', READY), redis.call('ZCOUNT', ACTIVE, after_now, '+inf'),
  admissions, freed, present, still_ms, phase, mode, tostring(max_active), tostring(rate),
}
local function add(field, value)
  answer[#answer + 1] = field
  answer[#answer + 1] = value
end
if ARGV[1] == '' then
  for _, text in ipairs(redis.call('HGETALL', STATS)) do answer[#answer + 1] = text end
else
  local fields = cjson.decode(ARGV[1])
  local values = redis.call('HMGET', STATS, unpack(fields))
  for index, field in ipairs(fields) do if values[index] then add(field, values[index]) end end
end
return answer
