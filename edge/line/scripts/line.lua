-- Shared by the scripts of the line: the state of one queue, read once, and the steps that change it.
-- The scripts enter, beat, leave, end and sweep are given the same first eight keys.
--
-- How the line moves: every visitor is told when to poll next. Near the head that is shortly before the visitor's own
-- entry time, which follows from the place and the rate, so that visitors arrive in the order of their places. A
-- visitor who polls enters when there is a slot and a token for them and for each visitor before them who may still be
-- on time, and when no visitor before them is expected later. A visitor who stops polling is skipped and costs neither.
--
-- KEYS[1] meta     hash: the queue's configuration
-- KEYS[2] waiting  zset: ticket -> order in the line (lane first, then sequence)
-- KEYS[3] beats    zset: ticket -> when its next poll is overdue (ms)
-- KEYS[4] active   zset: session -> when its slot returns (ms)
-- KEYS[5] ready    zset: session -> its order in the line; those in active whose pass was not presented yet
-- KEYS[6] bucket   hash: see bucket.lua
-- KEYS[7] used     string: how this ticket was used up, kept as long as the ticket could come back; with the
--                  entry time where that lies ahead
-- KEYS[8] stats    hash: what tally.lua counts
-- ARGV[1] ticket   the ticket's id, which is also the id of its session
-- ARGV[2] now      milliseconds, or '' for the server's own clock; only a simulation passes one
-- ARGV[3] jitter   0 to 1, spreads the polls
-- ARGV[4] keepMs   how long any ticket of this visitor can still come back
-- Returns nothing: the script that includes it does.

-- @include "event"
-- @include "order"
-- @include "tally"
-- @include "bucket"
-- @include "silence"

local ACTIVE, READY, USED = KEYS[4], KEYS[5], KEYS[7]
local TICKET, JITTER, KEEP_MS = ARGV[1], tonumber(ARGV[3]), tonumber(ARGV[4])

-- Bounds on the work of one call, so that no visitor's poll holds up the others.
local LAPSED_MAX = 64
-- A visitor further back than this does not enter with this call: those before come first.
local LOOK_MAX = 256
-- A visitor further back looks only at the very first, and leaves the others to a sweep.
local FAR_LOOK = 4

-- A visitor before the caller who is this late no longer counts: the visitors present take the turn.
local TURN_LATE_MS = 200
-- A visitor this late near the head counts as gone; one who comes back takes the old place again.
local GONE_MS = 700
-- A visitor before the caller who is expected within this time counts as present.
local SOON_MS = 50
-- As the lower end of a range of scores: strictly later than now.
local AFTER_NOW = '(' .. now

local claim_ms = (tonumber(own[6]) or 0) * 1000
local heartbeat_ms = (tonumber(own[7]) or 0) * 1000
local max_queue_size = tonumber(own[8])

-- Every key is read before the first write, so that a wrong type under one of them changes nothing.
local used, enters_at = string.match(redis.call('GET', USED) or '', '^(%a+):?(%d*)$')
local slot_until = tonumber(redis.call('ZSCORE', ACTIVE, TICKET))
local place = tonumber(redis.call('ZSCORE', WAITING, TICKET))
redis.call('ZCARD', BEATS)
redis.call('ZCARD', READY)
-- A slot is held strictly before its time: what counts as free for others can never be revived.
local is_active = slot_until and slot_until > now

local queue_exists = mode and true or false
-- In any other mode, and before the opening, no visitor enters.
local is_moving = (mode == 'active' or mode == 'drain') and not is_before_opening

-- How long a visitor at this place had waited at that time. For a drawn place the wait begins at the opening.
local function waited(order, at)
  if is_drawn_place(order) then return opens_at and at - opens_at or 0 end
  local ticks = (clock_at(at) - order) % SPAN
  return ticks < SPAN / 2 and math.ceil(ticks / SEQUENCE_PER_MS) or 0
end

-- Slots whose time is over return. True when there are more of them than one call may return.
local function return_lapsed(limit)
  local lapsed = redis.call('ZRANGEBYSCORE', ACTIVE, '-inf', now, 'LIMIT', 0, limit)
  if #lapsed == 0 then return false end
  redis.call('ZREM', ACTIVE, unpack(lapsed))
  redis.call('ZREM', READY, unpack(lapsed))
  count_freed(#lapsed)
  note()
  return #lapsed == limit
end

local function free_slots()
  return max_active - redis.call('ZCOUNT', ACTIVE, AFTER_NOW, '+inf')
end

-- Looks at the heads of the line. While the line admits, visitors whose poll is later than `late_ms` leave Redis: their
-- signed ticket keeps their place. Returns when the next poll of each remaining one is overdue, and how many left.
local function look_at_heads(count, late_ms)
  if count <= 0 then return {}, 0 end
  local is_admitting = is_moving and free_slots() > 0
  local heads = redis.call('ZRANGE', WAITING, 0, count - 1, 'WITHSCORES')
  local tickets, orders = {}, {}
  for index = 1, #heads, 2 do
    tickets[#tickets + 1], orders[#orders + 1] = heads[index], tonumber(heads[index + 1])
  end
  if #tickets == 0 then return {}, 0 end
  local present, gone = {}, {}
  for index, text in ipairs(redis.call('ZMSCORE', BEATS, unpack(tickets))) do
    local due = tonumber(text) or 0
    if not is_admitting or due - LATE_MS + late_ms > now or is_forgiven(due) or tickets[index] == TICKET then
      present[#present + 1] = due
    else
      gone[#gone + 1] = tickets[index]
      note('expired', waited(orders[index], due))
      count_gone()
    end
  end
  if #gone > 0 then
    redis.call('ZREM', WAITING, unpack(gone))
    redis.call('ZREM', BEATS, unpack(gone))
  end
  return present, #gone
end

-- The visitors before the caller, as far as they matter for the caller's turn:
--   position     1 for the next one in
--   turn         the same without those who are late for their own turn
--   expected_by  when the last of those who are expected later polls, or nil
--   is_far       there are too many of them to look at each
local function look_ahead(order)
  local rank = redis.call('ZRANK', WAITING, TICKET)
  local is_far = rank >= LOOK_MAX
  local dues, gone = look_at_heads(is_far and FAR_LOOK or rank, GONE_MS)
  local seen = { order = order, position = rank + 1 - gone, is_far = is_far, room = free_slots() }
  seen.has_more = is_far and gone == FAR_LOOK
  local late, expected_by = 0, nil
  for _, due in ipairs(is_far and {} or dues) do
    local expected_at = due - LATE_MS
    if expected_at > now + SOON_MS then
      expected_by = math.max(expected_by or 0, expected_at)
    elseif expected_at + TURN_LATE_MS < now and not is_forgiven(due) then
      late = late + 1
    end
  end
  seen.turn, seen.expected_by = seen.position - late, expected_by
  return seen
end

local function may_enter(seen)
  return is_moving and not seen.is_far and not seen.expected_by and seen.turn <= seen.room
    and entry_ms(seen.turn, seen.order) <= hold_ms(seen.room)
end

-- The answer to a ticket that was used up before: its session if that still runs, else how it ended.
local function answer_used()
  if is_active then return { 'admitted', slot_until, 0, math.max(0, (tonumber(enters_at) or 0) - now) } end
  return { 'ended', used == 'admitted' and 'expired' or used }
end

-- A new session holds its slot for the claim window only, until its pass comes back for the first time (touch.lua). At
-- least 10 s: the pass ends 5 s before its slot, and whole seconds, clocks that differ and the way to the visitor take
-- some more.
local function unclaimed_ms()
  local held_ms = math.min(session_ms, math.max(claim_ms, 10000))
  return idle_ms > 0 and math.min(held_ms, idle_ms) or held_ms
end

-- The visitor enters, at once or at the time of the next token: the edge holds the answer until then. Ready until the
-- pass is presented.
local function admit(seen, order)
  local entry = take_entry(seen.turn, order)
  local expires_at = entry + unclaimed_ms()
  redis.call('ZREM', WAITING, TICKET)
  redis.call('ZREM', BEATS, TICKET)
  redis.call('ZADD', ACTIVE, expires_at, TICKET)
  redis.call('ZADD', READY, order, TICKET)
  local how = entry > now and 'admitted:' .. entry or 'admitted'
  redis.call('SET', USED, how, 'PX', KEEP_MS)
  note('admitted', waited(order, entry))
  return { 'admitted', expires_at, 1, entry - now }
end
