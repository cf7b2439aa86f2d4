-- Ends sessions of a user, and publishes each to the processes that hold it open.
-- KEYS[1] sessions  sessions:<user>
-- ARGV: 1 channel, 2 user id, 3 session id, or '' for all that were opened before 4 (ms since 1970; 0: all there are)
-- Returns how many there were.
local sessions, channel, user, session, before = KEYS[1], ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4])

local gone = {}
if session ~= '' then
  gone[1] = session
else
  local flat = redis.call('HGETALL', sessions)
  for i = 1, #flat, 2 do
    if before == 0 or cjson.decode(flat[i + 1]).createdAt < before then gone[#gone + 1] = flat[i] end
  end
end

local ended = 0
for i = 1, #gone do
  local message = user .. ' ' .. gone[i]
  if redis.call('HDEL', sessions, gone[i]) == 1 then
    ended = ended + 1
    redis.call('PUBLISH', channel, message)
  end
end
return ended
