-- Takes the lead when no other process has it, under a new epoch.
-- KEYS[1] fence  v1:{t0}:fence, or v1:{t0}:projector
-- ARGV: 1 owner, 2 lease in ms
-- Returns the new epoch, or 0 while another process leads.
local fence = KEYS[1]
local owner, leaseMs = ARGV[1], tonumber(ARGV[2])
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local held = redis.call('HMGET', fence, 'epoch', 'until', 'owner')
local leasedUntil = tonumber(held[2] or '0')
-- One that ends much later than a lease can last is from before the clock was set back.
local isHeld = leasedUntil > now and leasedUntil <= now + 2 * leaseMs
if isHeld and held[3] ~= owner then return 0 end
local epoch = tonumber(held[1] or '0') + 1
local leasedTo = string.format('%.0f', now + leaseMs)
redis.call('HSET', fence, 'epoch', string.format('%.0f', epoch), 'owner', owner, 'until', leasedTo)
return epoch
