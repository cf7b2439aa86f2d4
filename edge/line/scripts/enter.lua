-- Joins the line, or enters at once when there is room and the line is empty. Called again with the same ticket, it
-- answers as a poll does. A waiting visitor who brings an invite to a better lane moves there: the old place is given
-- up for the new one in the same step.
-- KEYS[1..8] as in line.lua
-- KEYS[9] address  zset: tickets that came from this address -> when each stops counting (ms)
-- KEYS[10..11] as in invite.lua
-- KEYS[12] proof   string: the ticket that spent this proof of work
-- ARGV[1..4] as in line.lua
-- ARGV[5] lane            0 to 3, higher goes first
-- ARGV[6] ticketsPerIp    0 for no limit
-- ARGV[7] drawSpan        the span of numbers of the draw that the next argument is from, -1 for none
-- ARGV[8] number          what the ticket draws in it: below 2^39, the smallest goes first
-- ARGV[9..12] as in invite.lua
-- ARGV[13] heldOrder      the place that the visitor's signed ticket carries, or stands for; -1 for a newcomer
-- ARGV[14] proofMs        how long the proof could be shown again; 0 where none is needed
-- Returns {'none'} | {'closed'} | {'over'} | {'full'} | {'address_limit'} | {'scheduled', placesAt, opensAt, now}
--       | {'invite_used'} | {'invite_revoked'} | {'proof_spent'}
--       | {'draw_changed'} when the draw is not the one that is on
--       | {'person', ticket, order, joinedAt} when the person named by the invite has a place already
--       | {'admitted', expiresAt, isNew, holdMs} | {'ended', reason}
--       | {'waiting', …} as in answer_waiting of stand.lua

-- @include "stand"
-- @include "invite"

local ADDRESS, PROOF = KEYS[9], KEYS[12]
local tickets_per_ip, held_order, proof_ms = tonumber(ARGV[6]), tonumber(ARGV[13]), tonumber(ARGV[14])
local known_draw_span, number = tonumber(ARGV[7]), tonumber(ARGV[8])

if not queue_exists then return { 'none' } end
if used then return answer_used() end
refill()
local other = place_of_person()
if other then return other end
local held = place or (held_order >= 0 and held_order) or nil
if held and (uses == 0 or lane <= lane_of(held)) then
  go_on_behind(held)
  return stand_at(held)
end

-- Where no line is allowed, a newcomer may still enter at once.
local function may_walk_in()
  return redis.call('ZCARD', WAITING) == 0 and may_enter({ order = math.huge, turn = 1, room = free_slots() })
end

-- Why a newcomer gets no place now, or nil.
local function newcomer_refusal()
  if phase == 'scheduled' then return { 'scheduled', places_at, opens_at, now } end
  if mode == 'drain' then return { 'closed' } end
  if phase == 'over' then return { 'over' } end
  if redis.call('ZCARD', WAITING) >= max_queue_size and not may_walk_in() then return { 'full' } end
  -- Called again after a lost reply, a ticket does not count against itself.
  if tickets_per_ip > 0 and not redis.call('ZSCORE', ADDRESS, TICKET)
    and redis.call('ZCOUNT', ADDRESS, AFTER_NOW, '+inf') >= tickets_per_ip then
    return { 'address_limit' }
  end
  local spender = proof_ms > 0 and redis.call('GET', PROOF)
  return spender and spender ~= TICKET and { 'proof_spent' } or nil
end

local refusal = not held and newcomer_refusal() or uses > 0 and invite_refusal() or nil
if refusal then return refusal end
local is_drawn = phase == 'prequeue' and order_kind ~= 'fifo'
if is_drawn and known_draw_span ~= draw_span then return { 'draw_changed' } end

local function new_place()
  local first = (LANE_MAX - lane) * LANE_SPAN
  if is_drawn then
    local drawn = first + draw_span * SPAN + 2 * number + 1
    go_on_behind(drawn)
    return drawn
  end
  bucket.sequence, bucket.is_changed = next_sequence(bucket.sequence, now), true
  return first + bucket.sequence
end

local order = new_place()
if uses > 0 then use_invite(order) end
if not held and tickets_per_ip > 0 then
  redis.call('ZREMRANGEBYSCORE', ADDRESS, '-inf', now)
  redis.call('ZADD', ADDRESS, now + KEEP_MS, TICKET)
  redis.call('PEXPIRE', ADDRESS, KEEP_MS)
end
if not held and proof_ms > 0 then redis.call('SET', PROOF, TICKET, 'PX', proof_ms) end
return stand_at(order, not held)
