-- Says how a session was ended whose pass or ticket is no longer good, and for how long its visitor may not join again.
-- KEYS[1] used      string: how the session's ticket was used up
-- KEYS[2] session   string: why the session was ended, while any pass of it could still be used
-- KEYS[3] pass      string: the same for the one pass that was shown
-- KEYS[4] ban       string: there until the session's visitor may join again
-- ARGV: none
-- Returns {'revoked' | 'completed' | 'left' | 'expired', banLeftMs}
local used = redis.call('GET', KEYS[1])
local ban_left = math.max(0, redis.call('PTTL', KEYS[4]))
if ban_left > 0 or redis.call('EXISTS', KEYS[3]) == 1 then return { 'revoked', ban_left } end
if used == 'completed' or used == 'left' or used == 'revoked' then return { used, 0 } end
-- Neither: all passes of a queue that was deleted are refused, and nobody has ended this one's session.
return { redis.call('EXISTS', KEYS[2]) == 1 and 'revoked' or 'expired', 0 }
