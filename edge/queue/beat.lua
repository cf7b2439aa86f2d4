-- A poll: says "I am still here", claims a reserved slot, and moves the line on for everybody. A visitor who was silent
-- and whose ticket still holds takes the old place again.
-- KEYS[1..8] as in line.lua
-- ARGV[1..4] as in line.lua
-- ARGV[5] order           the place that the signed ticket carries, or stands for
-- Returns {'none'} | {'admitted', expiresAt, isNew} | {'ended', reason}
--       | {'waiting', position or 0, total, order, pollAfterMs, ratePerThousandSeconds, hasMore, opensAt or 0}
local order = tonumber(ARGV[5])

if not queue_exists then return { 'none' } end
if used then return answer_used() end
refill()
go_on_behind(order)
-- An older ticket may come after the visitor has moved to a better lane: the better place is kept.
return stand_at(place and math.min(place, order) or order)
