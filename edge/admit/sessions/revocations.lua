-- Lists the sessions and passes that were ended since an edge last asked, with the store's time.
-- KEYS[1] revoked  zset: session or pass -> when it was ended (ms); '-' -> when the last removed one was ended
-- KEYS[2] all      string: every pass from before that moment (ms) was ended
-- ARGV[1] since    milliseconds; everything from then on is listed
-- ARGV[2] limit    how many at most; when there are more, the newest
-- Returns {now, since, id, id, …}, oldest first. `since` is later than asked for when there are more than the limit,
-- when some are no longer in the feed, or when all passes were ended: for a pass issued before it, the edge must ask
-- the store.
local REVOKED, ALL = KEYS[1], KEYS[2]
local since, limit = tonumber(ARGV[1]), tonumber(ARGV[2])
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)

local flat = redis.call('ZREVRANGEBYSCORE', REVOKED, '+inf', since, 'WITHSCORES', 'LIMIT', 0, limit)
local answer = { now, math.max(since, (tonumber(redis.call('ZSCORE', REVOKED, '-')) or -1) + 1) }
for index = #flat - 1, 1, -2 do
  if flat[index] ~= '-' then answer[#answer + 1] = flat[index] end
end
-- Some of those that were ended in the same millisecond may be missing from the list.
if #flat == limit * 2 then answer[2] = math.max(answer[2], tonumber(flat[#flat]) + 1) end
answer[2] = math.max(answer[2], (tonumber(redis.call('GET', ALL) or '') or -1) + 1)
return answer
