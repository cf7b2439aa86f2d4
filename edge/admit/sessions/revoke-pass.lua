-- Revokes a single pass; its session keeps its slot.
-- KEYS[1] revoked     zset: session or pass -> when it was ended (ms); the feed that edges follow
-- KEYS[2] revocation  string: the reason, for edges that ask each time
-- ARGV[1] jti         the pass's id
-- ARGV[2] reason      the operator's words
-- ARGV[3] keepMs      the longest that a pass can still be used
-- Returns 1 when it is new, 0 when it was ended before.
local REVOKED, REVOCATION = KEYS[1], KEYS[2]
local jti, reason, keep_ms = ARGV[1], ARGV[2], tonumber(ARGV[3])
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)

redis.call('ZSCORE', REVOKED, jti)
if redis.call('SET', REVOCATION, reason, 'PX', keep_ms, 'NX') then
  redis.call('ZADD', REVOKED, now, jti)
  -- A queue of this name may have been deleted before, and its feed left to expire.
  redis.call('PERSIST', REVOKED)
  return 1
end
return 0
