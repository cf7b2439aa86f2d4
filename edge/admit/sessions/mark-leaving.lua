-- Notes that the page of an admitted session was closed: the session ends soon, unless its pass is presented before
-- (touch.lua).
-- KEYS[1] active   zset: session -> when its slot returns (ms)
-- KEYS[2] session  hash: last_activity, page_views, status, ends_at, leaving_at
-- ARGV[1] session
-- Returns the time of the note (ms), or 0 when the session has ended.
local ACTIVE, SESSION, session = KEYS[1], KEYS[2], ARGV[1]
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)

local slot_until = tonumber(redis.call('ZSCORE', ACTIVE, session))
if not slot_until or slot_until <= now then return 0 end
redis.call('HSET', SESSION, 'leaving_at', string.format('%.0f', now))
redis.call('PEXPIREAT', SESSION, string.format('%.0f', slot_until))
return now
