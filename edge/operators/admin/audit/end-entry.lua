-- Writes down that what an operator was about to change was changed, or takes the intent back because nothing was.
-- KEYS[1] pending  stream: what operators are about to do
-- KEYS[2] log      stream: what operators did
-- ARGV[1] keep     how many entries the log keeps at least
-- ARGV[2] id       the intent's
-- ARGV[3] queue    the queue's id, or ''
-- ARGV[4] entry    JSON, or '' when nothing was changed
-- Returns the entry's id in the log, or ''.
local PENDING, LOG, KEEP = KEYS[1], KEYS[2], tonumber(ARGV[1])
local id, queue, entry = ARGV[2], ARGV[3], ARGV[4]
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)

redis.call('XLEN', LOG)
redis.call('XDEL', PENDING, id)
if entry == '' then return '' end
return redis.call('XADD', LOG, 'MAXLEN', '~', KEEP, '*', 'at', now, 'outcome', 'done', 'queue', queue, 'entry', entry)
