-- Exchanges a refresh token for the next one. A token that was exchanged before ends the session: its owner or a thief
-- holds the later one, and the two cannot be told apart.
-- KEYS[1] sessions  sessions:<user>
-- ARGV: 1 session id, 2 hash of the presented token, 3 hash of the next token, 4 ms that a refresh token lasts,
--       5 channel for the end of the session, 6 user id
-- Returns 'rotated', 'reused' or 'ended', then the time now and the time when the next token runs out.
local sessions = KEYS[1]
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local text = redis.call('HGET', sessions, ARGV[1])
if not text then return { 'ended', now, 0 } end
local record = cjson.decode(text)
local hasRunOut = record.expiresAt <= now
if hasRunOut or record.refreshHash ~= ARGV[2] then
  local ended = ARGV[6] .. ' ' .. ARGV[1]
  redis.call('HDEL', sessions, ARGV[1])
  redis.call('PUBLISH', ARGV[5], ended)
  return { hasRunOut and 'ended' or 'reused', now, 0 }
end
record.refreshHash = ARGV[3]
record.usedAt = now
record.expiresAt = math.min(now + tonumber(ARGV[4]), record.endsAt)
redis.call('HSET', sessions, ARGV[1], cjson.encode(record))
return { 'rotated', now, record.expiresAt }
