-- Stores the visitor's metadata with the session, for as long as the session lasts.
-- KEYS[1] active   zset: session -> when its slot returns (ms)
-- KEYS[2] session  hash: last_activity, page_views, status, metadata
-- ARGV[1] session
-- ARGV[2] metadata JSON, bounded
-- Returns 1 when it is kept, 0 when there is no such session.
local ACTIVE, SESSION, session, metadata = KEYS[1], KEYS[2], ARGV[1], ARGV[2]

local expires_at = tonumber(redis.call('ZSCORE', ACTIVE, session))
if not expires_at then return 0 end
redis.call('HSET', SESSION, 'metadata', metadata)
redis.call('PEXPIREAT', SESSION, expires_at)
return 1
