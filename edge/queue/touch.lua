-- Renews an admitted session that is in use, and notes its activity. A session whose time is over stays over.
-- It stands behind event.lua.
-- KEYS[1] meta     hash: the queue's configuration
-- KEYS[2] active   zset: session -> when its slot returns (ms)
-- KEYS[3] ready    zset: those in active who have not walked in yet
-- KEYS[4] session  hash: last_activity, page_views, status
-- ARGV[1] session
-- ARGV[2] now      milliseconds, or '' for the server's own clock
-- ARGV[3] views    requests since the last touch
-- ARGV[4] renew    1 to give the full time again, 0 to note the activity alone
-- Returns the time (ms) at which the session ends, or 0 when it has ended.
local ACTIVE, READY, SESSION = KEYS[2], KEYS[3], KEYS[4]
local session, views, renew = ARGV[1], tonumber(ARGV[3]), ARGV[4] == '1'

local expires_at = tonumber(redis.call('ZSCORE', ACTIVE, session))
if not expires_at or expires_at <= now or redis.call('ZSCORE', READY, session) then return 0 end
redis.call('HGET', SESSION, 'status')
if renew and now + session_ms > expires_at then
  expires_at = now + session_ms
  redis.call('ZADD', ACTIVE, 'XX', expires_at, session)
end
redis.call('HINCRBY', SESSION, 'page_views', views)
redis.call('HSET', SESSION, 'last_activity', now, 'status', 'active')
redis.call('PEXPIREAT', SESSION, expires_at)
return expires_at
