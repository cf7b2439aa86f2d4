-- Appends the commands of one turn of an api process's event loop, unless no engine leads or too many commands wait.
-- KEYS[1] commands  v1:{t0}:commands
-- KEYS[2] fence     v1:{t0}:fence
-- ARGV: 1 entries at most, 2 ms after the end of a lease in which an engine may still take the lead, 3 the process,
--       4 its number for this append, 5 the commands as JSON
-- Returns the entry's id, or "busy", or "absent".
local commands, fence = KEYS[1], KEYS[2]
local lengthMax, graceMs = tonumber(ARGV[1]), tonumber(ARGV[2])
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local leasedUntil = tonumber(redis.call('HGET', fence, 'until') or '0')
if now > leasedUntil + graceMs then return 'absent' end
if redis.call('XLEN', commands) >= lengthMax then return 'busy' end
return redis.call('XADD', commands, '*', 'n', ARGV[3], 'a', ARGV[4], 'c', ARGV[5])
