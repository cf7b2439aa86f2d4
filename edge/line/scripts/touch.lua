-- Notes that an admitted session is in use, and gives its slot more time. A session whose time is over stays over. The
-- first presentation of the pass claims the session: from then on it has its full time. With idleSeconds the slot ends
-- that long after the last noted request, and never later than the session itself. A slot is never shortened here: a
-- pass that was signed for it would outlive it.
-- KEYS[1] meta     hash: the queue's configuration
-- KEYS[2] active   zset: session -> when its slot returns (ms)
-- KEYS[3] ready    zset: those in active whose pass was not presented yet
-- KEYS[4] session  hash: last_activity, page_views, status, ends_at (when the session ends however much it is used),
--         leaving_at (when a page of it was closed: the visitor is back)
-- ARGV[1] session
-- ARGV[2] now      milliseconds, or '' for the server's own clock
-- ARGV[3] views    requests since the last touch
-- ARGV[4] how      'look' changes nothing, 'note' keeps the session's end, 'renew' gives the full time again
-- ARGV[5] isFirst  1 when the pass was signed for a session that was not claimed yet
-- Returns the time (ms) at which the slot returns, or 0 when the session has ended.

-- @include "event"

local ACTIVE, READY, SESSION = KEYS[2], KEYS[3], KEYS[4]
local session, views, how, is_first = ARGV[1], tonumber(ARGV[3]), ARGV[4], ARGV[5] == '1'

local slot_until = tonumber(redis.call('ZSCORE', ACTIVE, session))
if not slot_until or slot_until <= now then return 0 end
local ends_at = tonumber(redis.call('HGET', SESSION, 'ends_at'))
if how == 'look' then return slot_until end

-- The first pass may come back several times: the session is claimed once.
if how == 'renew' or is_first and not ends_at then ends_at = now + session_ms end
ends_at = ends_at or slot_until
local wanted = idle_ms > 0 and math.min(ends_at, now + idle_ms) or ends_at
if wanted > slot_until then
  slot_until = wanted
  redis.call('ZADD', ACTIVE, 'XX', slot_until, session)
end
redis.call('ZREM', READY, session)
redis.call('HDEL', SESSION, 'leaving_at')
redis.call('HINCRBY', SESSION, 'page_views', views)
redis.call('HSET', SESSION, 'last_activity', now, 'status', 'active', 'ends_at', string.format('%.0f', ends_at))
redis.call('PEXPIREAT', SESSION, string.format('%.0f', slot_until))
return slot_until
