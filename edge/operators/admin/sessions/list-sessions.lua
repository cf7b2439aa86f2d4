-- Reads one page of the sessions that hold a slot, in the order of their ends.
-- KEYS[1] meta     hash: the queue's configuration
-- KEYS[2] active   zset: session -> when its slot returns (ms)
-- KEYS[3] ready    zset: those in active whose pass was not presented yet
-- ARGV[1] limit    how many at most
-- ARGV[2] lastEnd  when the last session of the page before ended (ms), or -1 for the first page
-- ARGV[3] lastId   the last session of the page before, or ''
-- Returns {'none'} when there is no such queue, else {'page', hasMore, id, expiresAt, isReserved, id, expiresAt,
-- isReserved, …}
local META, ACTIVE, READY = KEYS[1], KEYS[2], KEYS[3]
local limit, last_end, last_id = tonumber(ARGV[1]), tonumber(ARGV[2]), ARGV[3]

if redis.call('EXISTS', META) == 0 then return { 'none' } end
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)

-- Expired slots do not count, although they may not have been swept yet.
local first = redis.call('ZCOUNT', ACTIVE, '-inf', now)
if last_end >= 0 then
  local after
  if tonumber(redis.call('ZSCORE', ACTIVE, last_id)) == last_end then
    after = redis.call('ZRANK', ACTIVE, last_id) + 1
  else
    -- It ended or was renewed meanwhile. Those that end in the same millisecond come again rather than never.
    local before_last_end = '(' .. last_end
    after = redis.call('ZCOUNT', ACTIVE, '-inf', before_last_end)
  end
  first = math.max(first, after)
end

local flat = redis.call('ZRANGE', ACTIVE, first, first + limit, 'WITHSCORES')
local count = math.min(limit, #flat / 2)
local answer = { 'page', #flat / 2 > limit and 1 or 0 }
for index = 1, count do
  local id = flat[index * 2 - 1]
  answer[#answer + 1] = id
  answer[#answer + 1] = tonumber(flat[index * 2])
  answer[#answer + 1] = redis.call('ZSCORE', READY, id) and 1 or 0
end
return answer
