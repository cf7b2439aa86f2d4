-- One limit of one identity, as the one number of GCRA: when its full burst will be available again.
-- KEYS[1] limit  ratelimit:{identity}:<action>
-- ARGV: 1 how many to take (negative: to give back), 2 ms that one costs, 3 burst
-- Returns whether they were taken (1 or 0), how many are left, ms until one is there, ms until the burst is full.
local key = KEYS[1]
local count, costMs, burst = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local full = math.max(now, tonumber(redis.call('GET', key) or '0'))
local after = math.max(now, full + count * costMs)
local isOver = count > 0 and after - now > burst * costMs
local held = isOver and full or after
local left = math.max(0, math.floor(burst - (held - now) / costMs))
if not isOver and held > now then redis.call('SET', key, string.format('%.0f', held), 'PX', math.ceil(held - now)) end
if not isOver and held <= now then redis.call('DEL', key) end
return { isOver and 0 or 1, left, isOver and math.ceil(after - now - burst * costMs) or 0, math.ceil(held - now) }
