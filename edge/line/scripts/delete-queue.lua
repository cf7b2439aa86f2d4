-- Deletes a queue; with people in it, only when forced. A queue of the same name may be created while passes of this
-- one are still valid: the new queue refuses them all, or more people than it has slots would be inside. Revoked passes
-- stay revoked.
-- KEYS[1] meta  KEYS[2] waiting  KEYS[3] beats  KEYS[4] active  KEYS[5] ready  KEYS[6] bucket  KEYS[7] revoked
-- KEYS[8] stats
-- KEYS[9] all      string: when a queue of this name was last deleted (ms)
-- ARGV[1] force    1 to remove it with the people in it
-- ARGV[2] keepMs   the longest that any pass can still be used
-- Returns 'none' | 'occupied' | 'deleted'
if redis.call('EXISTS', KEYS[1]) == 0 then return 'none' end
local time = redis.call('TIME')
-- Expired slots do not count, although they may not have been swept yet.
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local after_now = '(' .. now
local people = redis.call('ZCARD', KEYS[2]) + redis.call('ZCOUNT', KEYS[4], after_now, '+inf')
if people > 0 and ARGV[1] ~= '1' then return 'occupied' end
redis.call('DEL', KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6], KEYS[8])
redis.call('PEXPIRE', KEYS[7], tonumber(ARGV[2]))
redis.call('SET', KEYS[9], now, 'PX', tonumber(ARGV[2]))
return 'deleted'
