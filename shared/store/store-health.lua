-- Proves that the store runs our scripts, not only that it answers.
-- KEYS: none
-- ARGV: none
-- Returns the server's time in milliseconds since the epoch.
local time = redis.call('TIME')
return tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
