-- Moves the line on when nobody polls: returns lapsed slots, drops visitors who are long gone, promotes the next.
-- KEYS[1..7] as in line.lua; there is no ticket, so KEYS[7] is a name that is never written
-- KEYS[8] revoked     zset: session -> when it was ended (ms)
-- ARGV[1..4] as in line.lua; the ticket is '-'
-- Returns {'none'} | {'swept', hasMore}
local REVOKED = KEYS[8]
local SWEPT_MAX = 500
local SWEEP_HEADS_MAX = 1000

if not queue_exists then return { 'none' } end
refill()
local has_lapsed = return_lapsed(SWEPT_MAX)
local gone = redis.call('ZRANGEBYSCORE', BEATS, '-inf', now - heartbeat_ms, 'LIMIT', 0, SWEPT_MAX)
if #gone > 0 then
  redis.call('ZREM', WAITING, unpack(gone))
  redis.call('ZREM', BEATS, unpack(gone))
end
local forgotten = redis.call('ZRANGEBYSCORE', REVOKED, '-inf', now - session_ms - KEEP_MS, 'LIMIT', 0, SWEPT_MAX)
if #forgotten > 0 then redis.call('ZREM', REVOKED, unpack(forgotten)) end
local has_more = promote(SWEEP_HEADS_MAX) or has_lapsed or #gone == SWEPT_MAX
save_bucket()
return { 'swept', has_more and 1 or 0 }
