-- Reads how a session ended whose pass or ticket is no longer valid, and for how long its visitor is banned.
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
-- Neither: the queue was deleted, so all its passes are refused, but this session was not ended itself.
return { redis.call('EXISTS', KEYS[2]) == 1 and 'revoked' or 'expired', 0 }
