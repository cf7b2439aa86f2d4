-- Renews an admitted session that is in use, and notes its activity. A session whose time is over stays over.
-- KEYS[1] meta     hash: the queue's configuration
-- KEYS[2] active   zset: session -> when its slot returns (ms)
-- KEYS[3] ready    zset: those in active who have not walked in yet
-- KEYS[4] session  hash: last_activity, page_views, status
-- ARGV[1] session
-- ARGV[2] now      milliseconds, or '' for the server's own clock
-- ARGV[3] views    requests since the last touch
-- ARGV[4] renew    1 to give the full time again, 0 to note the activity alone
-- Returns the time (ms) at which the session ends, or 0 when it has ended.
local META, ACTIVE, READY, SESSION = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local session, now, views, renew = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4] == '1'
if not now then
  local time = redis.call('TIME')
  now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
end

local session_ms = (tonumber(redis.call('HGET', META, 'session_ttl_seconds')) or 0) * 1000
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
