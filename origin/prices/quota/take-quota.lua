-- Takes one fresh request of a window, or reads how many are left. Windows are blocks of time since 1970, by Redis' clock.
-- KEYS[1] quota  v1:{prices}:quota:<identity>
-- KEYS[2] usage  v1:{prices}:usage
-- ARGV: 1 limit, 2 window_ms, 3 kept_ms, 4 takes (1 or 0), 5 identity, 6 note (which item), 7 identities_max
-- Returns { granted (1 or 0), used, milliseconds until the window ends, its end }
local now = redis.call('TIME')
local now_ms = now[1] * 1000 + math.floor(now[2] / 1000)
local limit, window_ms, kept_ms = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local starts = now_ms - now_ms % window_ms
local ends = starts + window_ms
local held = redis.call('HMGET', KEYS[1], 'start', 'used', 'recent')
local is_current = held[1] == string.format('%.0f', starts)
local used = is_current and tonumber(held[2]) or 0
if ARGV[4] ~= '1' then return { 0, used, ends - now_ms, ends } end
if used >= limit then return { 0, used, ends - now_ms, ends } end

used = used + 1
-- As long as the limit: refused requests are not noted.
local recent = (is_current and held[3] .. ' ' or '') .. string.format('%.0f', now_ms) .. ':' .. ARGV[6]
redis.call('HSET', KEYS[1], 'start', string.format('%.0f', starts), 'used', used, 'last', string.format('%.0f', now_ms), 'recent', recent)
redis.call('PEXPIREAT', KEYS[1], string.format('%.0f', starts + kept_ms))
if redis.call('ZSCORE', KEYS[2], 'window') ~= string.format('%.0f', starts) then
  redis.call('DEL', KEYS[2])
  redis.call('ZADD', KEYS[2], string.format('%.0f', starts), 'window')
end
if redis.call('ZSCORE', KEYS[2], ARGV[5]) or redis.call('ZCARD', KEYS[2]) <= tonumber(ARGV[7]) then
  redis.call('ZADD', KEYS[2], used, ARGV[5])
end
redis.call('PEXPIREAT', KEYS[2], string.format('%.0f', starts + kept_ms))
return { 1, used, ends - now_ms, ends }
