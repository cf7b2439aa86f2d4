-- Writes the layout that a step has reached, unless another process leads by now.
-- KEYS[1] fence   v1:{t0}:fence
-- KEYS[2] format  v1:{t0}:format
-- ARGV: 1 epoch of the process that upgrades, 2 layout
-- Returns 1, or 0 when another epoch has begun.
local fence, format = KEYS[1], KEYS[2]
if redis.call('HGET', fence, 'epoch') ~= ARGV[1] then return 0 end
redis.call('SET', format, ARGV[2])
return 1
