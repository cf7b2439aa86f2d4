-- Opens a session of one user. Expired ones are removed, and beyond the limit the least recently used ones.
-- KEYS[1] sessions  sessions:<user>
-- ARGV: 1 session id, 2 hash of the refresh token, 3 user agent, 4 ms that a refresh token lasts,
--       5 ms that a session lasts at most, 6 how many sessions there may be, 7 channel for the removed ones, 8 user id
-- Returns the time now and the time when the refresh token runs out, in milliseconds since 1970.
local sessions = KEYS[1]
local refreshMs, lifeMs, max = tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6])
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)

local flat = redis.call('HGETALL', sessions)
local gone, live = {}, {}
for i = 1, #flat, 2 do
  local record = cjson.decode(flat[i + 1])
  local isLive = record.expiresAt > now
  if isLive then live[#live + 1] = { id = flat[i], usedAt = record.usedAt } else gone[#gone + 1] = flat[i] end
end
table.sort(live, function(a, b) return a.usedAt < b.usedAt end)
for i = 1, #live - max + 1 do gone[#gone + 1] = live[i].id end

local record = {
  refreshHash = ARGV[2], userAgent = ARGV[3], createdAt = now, usedAt = now, expiresAt = now + refreshMs,
  endsAt = now + lifeMs,
}
for i = 1, #gone do
  local ended = ARGV[8] .. ' ' .. gone[i]
  redis.call('HDEL', sessions, gone[i])
  redis.call('PUBLISH', ARGV[7], ended)
end
redis.call('HSET', sessions, ARGV[1], cjson.encode(record))
redis.call('PEXPIRE', sessions, lifeMs)
return { now, record.expiresAt }
