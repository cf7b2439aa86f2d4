-- A poll: says "I am still here", claims a reserved slot, and moves the line on for everybody. A visitor who was silent
-- and whose ticket still holds takes the old place again.
-- KEYS[1..7] as in line.lua
-- ARGV[1..4] as in line.lua
-- ARGV[5] order           the place that the signed ticket carries
-- Returns {'none'} | {'admitted', expiresAt, isNew} | {'ended', reason}
--       | {'waiting', position, total, order, pollAfterMs, ratePerThousandSeconds, hasMore}
local order = tonumber(ARGV[5])

if not queue_exists then return { 'none' } end
if used then return answer_used() end
refill()
-- After a loss of the store's data the numbers go on behind those already given out, so that nobody is overtaken.
local sequence = order % LANE_SPAN
if sequence > bucket.sequence then bucket.sequence, bucket.is_changed = sequence, true end
return stand_at(order)
