-- The visitor gives up the place for good: the ticket cannot come back. Asked again, it changes
-- nothing. A running session is ended by end.lua, which also tells every edge.
-- KEYS[1..8] as in line.lua
-- ARGV[1..4] as in line.lua
-- Returns {'none'} | {'admitted', expiresAt, 0, holdMs} | {'ended', reason, hasMore}

-- @include "stand"

if not queue_exists then return { 'none' } end
if used then return answer_used() end
return give_up('left')
