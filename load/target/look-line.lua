-- How many visitors are in a line and inside right now, for a watcher outside the gate. Changes nothing.
-- KEYS[1] waiting  zset: ticket -> order in the line
-- KEYS[2] active   zset: session -> when its slot returns (ms)
-- KEYS[3] stats    hash: what the line counts
-- KEYS[4] meta     hash: the queue's configuration
-- ARGV: none
-- Returns {waiting, active, maxActive, admitted}
local WAITING, ACTIVE, STATS, META = KEYS[1], KEYS[2], KEYS[3], KEYS[4]

local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
return {
  redis.call('ZCARD', WAITING),
  redis.call('ZCOUNT', ACTIVE, string.format('(%.0f', now), '+inf'),
  tonumber(redis.call('HGET', META, 'max_active') or 0),
  tonumber(redis.call('HGET', STATS, 'total_admitted') or 0),
}
