-- What stands in a line right now, for somebody who watches it from outside. Changes nothing.
-- KEYS[1] waiting  zset: ticket -> order in the line
-- KEYS[2] active   zset: session -> when its slot returns (ms)
-- KEYS[3] ready    zset: ticket -> its order; those in active who have not walked in yet
-- KEYS[4] stats    hash: what the line counts
-- KEYS[5] meta     hash: the queue's configuration
-- ARGV[1] sessions  ids, with a space between each two: whose slots' ends are wanted
-- Returns {now, waiting, active, maxActive, admitted, {ready ticket, …}, {session, end, session, end, …}}
local WAITING, ACTIVE, READY, STATS, META = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]

local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local ends = {}
for session in string.gmatch(ARGV[1], '%S+') do
  local slot_until = redis.call('ZSCORE', ACTIVE, session)
  if slot_until then
    ends[#ends + 1] = session
    ends[#ends + 1] = tonumber(slot_until)
  end
end
return {
  now,
  redis.call('ZCARD', WAITING),
  redis.call('ZCOUNT', ACTIVE, string.format('(%.0f', now), '+inf'),
  tonumber(redis.call('HGET', META, 'max_active') or 0),
  tonumber(redis.call('HGET', STATS, 'total_admitted') or 0),
  redis.call('ZRANGE', READY, 0, -1),
  ends,
}
