-- Moves stale intents to the log: an operator was about to change something, and it is unknown whether it was done.
-- KEYS[1] pending  stream: what operators are about to do
-- KEYS[2] log      stream: what operators did
-- ARGV[1] keep     how many entries the log keeps at least
-- ARGV[2] staleMs  how old such an intent is
-- Returns nothing: the script that includes it does.
local PENDING, LOG, KEEP = KEYS[1], KEYS[2], tonumber(ARGV[1])
local STALE_MAX = 100
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local stale_before = tostring(now - tonumber(ARGV[2]))

redis.call('XLEN', LOG)
for _, intent in ipairs(redis.call('XRANGE', PENDING, '-', stale_before, 'COUNT', STALE_MAX)) do
  local id, fields = intent[1], intent[2]
  local at = string.match(id, '^%d+')
  redis.call('XADD', LOG, 'MAXLEN', '~', KEEP, '*', 'at', at, 'outcome', 'unknown', unpack(fields))
  redis.call('XDEL', PENDING, id)
end
