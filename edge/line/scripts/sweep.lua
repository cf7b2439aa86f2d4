-- Cleans up where no poll does: returns lapsed slots, and drops visitors at the head or anywhere in the line who have
-- left.
-- KEYS[1..8] as in line.lua; there is no ticket, so the key `used` is never written
-- KEYS[9] revoked     zset: session -> when it was ended (ms); '-' -> when the last removed one was ended
-- ARGV[1..4] as in line.lua; the ticket is '-'
-- Returns {'none'} | {'swept', hasMore}

-- @include "stand"

local REVOKED = KEYS[9]
local SWEPT_MAX = 500
local SWEEP_HEADS_MAX = 1000

if not queue_exists then return { 'none' } end
refill()
local has_lapsed = return_lapsed(SWEPT_MAX)
-- A visitor who may still return after an outage is not gone yet.
local gone_before = is_returning() and math.min(silence.from, now - heartbeat_ms) or now - heartbeat_ms
local gone = redis.call('ZRANGEBYSCORE', BEATS, '-inf', gone_before, 'LIMIT', 0, SWEPT_MAX)
if #gone > 0 then
  for _, ticket in ipairs(gone) do
    local order = tonumber(redis.call('ZSCORE', WAITING, ticket))
    if order then note('expired', waited(order, tonumber(redis.call('ZSCORE', BEATS, ticket)))) end
  end
  redis.call('ZREM', WAITING, unpack(gone))
  redis.call('ZREM', BEATS, unpack(gone))
end
-- Passes from when sessions were longer may outlive what is forgotten here, so edges are told from when on the feed is
-- whole.
local forgotten = redis.call('ZRANGEBYSCORE', REVOKED, '-inf', now - session_ms_max - KEEP_MS, 'LIMIT', 0, SWEPT_MAX)
local last = forgotten[#forgotten]
if last and last ~= '-' then
  local ended_at = redis.call('ZSCORE', REVOKED, last)
  redis.call('ZREM', REVOKED, unpack(forgotten))
  redis.call('ZADD', REVOKED, ended_at, '-')
end
local _, heads_gone = look_at_heads(SWEEP_HEADS_MAX, LATE_MS)
local has_more = has_lapsed or #gone == SWEPT_MAX or heads_gone == SWEEP_HEADS_MAX
save()
return { 'swept', has_more and 1 or 0 }
