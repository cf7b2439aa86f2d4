-- Reads one session that holds a slot.
-- KEYS[1] meta     hash: the queue's configuration
-- KEYS[2] active   zset: session -> when its slot returns (ms)
-- KEYS[3] ready    zset: those in active whose pass was not presented yet
-- ARGV[1] session
-- Returns {'none'} when there is no such queue, {'absent'} when the session holds no slot, else {'found', expiresAt,
-- isReserved}
local META, ACTIVE, READY, session = KEYS[1], KEYS[2], KEYS[3], ARGV[1]

if redis.call('EXISTS', META) == 0 then return { 'none' } end
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)

local expires_at = tonumber(redis.call('ZSCORE', ACTIVE, session))
if not expires_at or expires_at <= now then return { 'absent' } end
return { 'found', expires_at, redis.call('ZSCORE', READY, session) and 1 or 0 }
