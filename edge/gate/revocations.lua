-- Tells an edge which sessions and passes were ended since it last asked, and what time it is.
-- KEYS[1] revoked  zset: session or pass -> when it was ended (ms)
-- ARGV[1] since    milliseconds; everything from then on is told
-- ARGV[2] limit    how many at most; when there are more, the newest
-- Returns {now, since, id, id, …}, oldest first; since is later than asked for when there were more than the limit.
local REVOKED = KEYS[1]
local since, limit = tonumber(ARGV[1]), tonumber(ARGV[2])
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)

local flat = redis.call('ZREVRANGEBYSCORE', REVOKED, '+inf', since, 'WITHSCORES', 'LIMIT', 0, limit)
local answer = { now, since }
for index = #flat - 1, 1, -2 do answer[#answer + 1] = flat[index] end
-- Of those that were ended in one millisecond, some may not have been told.
if #flat == limit * 2 then answer[2] = tonumber(flat[#flat]) + 1 end
return answer
