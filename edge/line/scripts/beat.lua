-- A poll: the visitor is still here, and enters or waits. A visitor who stopped polling and whose ticket is still valid
-- takes the old place again.
-- KEYS[1..8] as in line.lua
-- ARGV[1..4] as in line.lua
-- ARGV[5] order           the place that the signed ticket carries, or stands for
-- Returns {'none'} | {'admitted', expiresAt, isNew, holdMs} | {'ended', reason} | {'waiting', …} as in answer_waiting
-- of stand.lua

-- @include "stand"

local order = tonumber(ARGV[5])

if not queue_exists then return { 'none' } end
if used then return answer_used() end
refill()
go_on_behind(order)
-- An older ticket may come after the visitor has moved to a better lane: the better place is kept.
return stand_at(place and math.min(place, order) or order)
