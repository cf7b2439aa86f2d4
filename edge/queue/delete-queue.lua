-- Removes a queue. With people in it, only when forced.
-- KEYS[1] meta  KEYS[2] waiting  KEYS[3] beats  KEYS[4] active  KEYS[5] ready  KEYS[6] bucket  KEYS[7] revoked
-- ARGV[1] force    1 to remove it with the people in it
-- Returns 'none' | 'occupied' | 'deleted'
if redis.call('EXISTS', KEYS[1]) == 0 then return 'none' end
local time = redis.call('TIME')
-- Slots whose time is over hold nobody, although they may not have been swept yet.
local after_now = '(' .. (tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000))
local people = redis.call('ZCARD', KEYS[2]) + redis.call('ZCOUNT', KEYS[4], after_now, '+inf')
if people > 0 and ARGV[1] ~= '1' then return 'occupied' end
redis.call('DEL', unpack(KEYS))
return 'deleted'
