-- Extends the leader's lease, or ends it (a lease of 0 ms).
-- KEYS[1] fence  v1:{t0}:fence, or v1:{t0}:projector
-- ARGV: 1 epoch, 2 lease in ms
-- Returns 1, or 0 when another epoch has begun.
local fence = KEYS[1]
local epoch, leaseMs = ARGV[1], tonumber(ARGV[2])
if redis.call('HGET', fence, 'epoch') ~= epoch then return 0 end
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
redis.call('HSET', fence, 'until', string.format('%.0f', now + leaseMs))
return 1
