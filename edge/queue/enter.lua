-- Joins the line, or walks straight in when there is room and nobody waits. Asked again with the same ticket, it
-- answers as a poll would.
-- KEYS[1..7] as in line.lua
-- KEYS[8] address  zset: tickets that came from this address -> when each stops counting (ms)
-- ARGV[1..4] as in line.lua
-- ARGV[5] lane            0 to 3, higher goes first
-- ARGV[6] ticketsPerIp    0 for no limit
-- Returns {'none'} | {'closed'} | {'full'} | {'address_limit'}
--       | {'admitted', expiresAt, isNew} | {'ended', reason}
--       | {'waiting', position, total, order, pollAfterMs, ratePerThousandSeconds, hasMore}
local ADDRESS = KEYS[8]
local LANE_MAX = 3
local lane, tickets_per_ip = tonumber(ARGV[5]), tonumber(ARGV[6])

if not queue_exists then return { 'none' } end
if used then return answer_used() end
refill()
if place then return stand_at(place) end
if is_reserved then return stand_at(ready_order) end

if mode == 'drain' then return { 'closed' } end
if redis.call('ZCARD', WAITING) >= max_queue_size then return { 'full' } end
if tickets_per_ip > 0 then
  -- Asked again after a lost reply, a ticket does not count against itself.
  local is_counted = redis.call('ZSCORE', ADDRESS, TICKET)
  if not is_counted and redis.call('ZCOUNT', ADDRESS, AFTER_NOW, '+inf') >= tickets_per_ip then return { 'address_limit' } end
  redis.call('ZREMRANGEBYSCORE', ADDRESS, '-inf', now)
  redis.call('ZADD', ADDRESS, now + KEEP_MS, TICKET)
  redis.call('PEXPIRE', ADDRESS, KEEP_MS)
end
bucket.sequence, bucket.is_changed = bucket.sequence + 1, true
return stand_at((LANE_MAX - lane) * LANE_SPAN + bucket.sequence)
