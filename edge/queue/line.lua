-- What the scripts of the line share: the state of one queue, read once, and the steps that change it.
-- It stands behind event.lua, order.lua, tally.lua, bucket.lua and silence.lua, and in front of enter, beat, leave, end and sweep, which
-- are given the same first eight keys.
--
-- KEYS[1] meta     hash: the queue's configuration
-- KEYS[2] waiting  zset: ticket -> order in the line (lane first, then sequence)
-- KEYS[3] beats    zset: ticket -> when its next poll is overdue (ms)
-- KEYS[4] active   zset: session -> when its slot returns (ms); reserved and admitted slots alike
-- KEYS[5] ready    zset: ticket -> its order in the line; those in active who have not walked in yet
-- KEYS[6] bucket   hash: tokens, refilled_at, sequence, rate, rate_at, rate_count, pace, gone_count
-- KEYS[7] used     string: how this ticket was used up, kept as long as the ticket could come back
-- KEYS[8] stats    hash: what tally.lua counts
-- ARGV[1] ticket   the ticket's id, which is also the id of its session
-- ARGV[2] now      milliseconds, or '' for the server's own clock; only a simulation passes one
-- ARGV[3] jitter   0 to 1, spreads the polls
-- ARGV[4] keepMs   how long any ticket of this visitor can still come back
-- Returns nothing by itself: the script that follows does.

local USED = KEYS[7]
local TICKET, JITTER, KEEP_MS = ARGV[1], tonumber(ARGV[3]), tonumber(ARGV[4])

-- Bounds on the work of one call, so that no visitor's poll holds up the others.
local PROMOTIONS_MAX = 64
local HEADS_MAX = 192
local HEADS_EXTRA = 8
local LAPSED_MAX = 64

local POLL_MS_MIN = 1000
-- Slots may come free at any moment: the first in line poll as if they did so at the full rate.
local HEAD_POSITIONS = 100
local POLL_MS_MAX = 20000
-- A poll comes well inside the claim window, so that nobody who polls as asked finds a reservation lapsed.
local POLL_SHARE_OF_CLAIM = 0.6
-- Those whose turn is far off poll together no faster than this; whoever goes in soon may.
local POLLS_PER_SECOND_MAX = 1000
-- Reservations go so far ahead of the rate: longer than it takes to notice that somebody near the head has left.
local AHEAD_SECONDS = 5
local CLAIM_JITTER_MS = 50
-- How late a poll may be, on top of LATE_MS, before its visitor is passed over: a quarter of its interval.
local LATE_SHARE_MS_MAX = 5000
-- In this time after the opening everybody who waited for it polls once: the line needs to know who is there.
local OPENING_POLLS_PER_SECOND = 20000
local OPENING_MS_MIN = 2000
local OPENING_SHARE_OF_CLAIM = 0.3
local OPENING_MS_MAX = 60000

-- As the lower end of a range of scores: strictly later than now.
local AFTER_NOW = '(' .. now

local claim_ms = (tonumber(own[6]) or 0) * 1000
local heartbeat_ms = (tonumber(own[7]) or 0) * 1000
local max_queue_size = tonumber(own[8])

-- Every key is read before the first write, so that a wrong type under one of them changes nothing.
local used = redis.call('GET', USED)
local slot_until = tonumber(redis.call('ZSCORE', ACTIVE, TICKET))
local ready_order = tonumber(redis.call('ZSCORE', READY, TICKET))
local place = tonumber(redis.call('ZSCORE', WAITING, TICKET))
redis.call('ZCARD', BEATS)
-- A slot or reservation is alive strictly before its time: what counts as free for others can never be revived.
local is_active = slot_until and slot_until > now
local is_reserved = is_active and ready_order

local queue_exists = mode and true or false
-- In any other mode, and before the opening, nobody goes in, not even with a reservation.
local is_moving = (mode == 'active' or mode == 'drain') and not is_before_opening
local poll_ms_max = math.min(POLL_MS_MAX, claim_ms * POLL_SHARE_OF_CLAIM)

-- Slots whose time is over return. True when more of them lie there than one call may return.
local function return_lapsed(limit)
  local flat = redis.call('ZRANGEBYSCORE', ACTIVE, '-inf', now, 'WITHSCORES', 'LIMIT', 0, limit)
  if #flat == 0 then return false end
  local lapsed = {}
  for index = 1, #flat, 2 do
    local ticket, lapsed_at = flat[index], tonumber(flat[index + 1])
    lapsed[#lapsed + 1] = ticket
    local order = tonumber(redis.call('ZSCORE', READY, ticket))
    if order and ticket ~= TICKET and is_forgiven(lapsed_at) then
      -- Nobody could claim it: its owner stands in the line again, at the same place.
      redis.call('ZADD', WAITING, order, ticket)
      redis.call('ZADD', BEATS, lapsed_at, ticket)
    elseif order then
      -- A reservation that nobody claimed is somebody who did not come; a session that is over is not.
      note('expired', waited(order, lapsed_at))
      count_gone()
    end
  end
  redis.call('ZREM', ACTIVE, unpack(lapsed))
  redis.call('ZREM', READY, unpack(lapsed))
  note()
  return #lapsed == limit
end

-- When a poll that was asked for after this time is overdue.
local function overdue_at(interval)
  return now + interval + LATE_MS + math.min(LATE_SHARE_MS_MAX, math.floor(interval / 4))
end

-- A reservation ends with the claim window, or before it when its owner's poll is overdue: then nobody is there.
local function reserve(ticket, order, due)
  redis.call('ZADD', READY, order, ticket)
  redis.call('ZADD', ACTIVE, math.min(now + claim_ms, due), ticket)
  if ticket == TICKET then is_reserved = true end
  note()
end

-- Takes the first ones out of the line: those who are there get a slot, the others leave Redis, because their signed
-- ticket keeps their place. Stops when no slot is left to give: see promote. Returns how many it took.
local function take_heads(count, slots)
  local heads = redis.call('ZRANGE', WAITING, 0, count - 1, 'WITHSCORES')
  local taken = {}
  for index = 1, #heads, 2 do
    local ticket, order = heads[index], tonumber(heads[index + 1])
    slots.is_spent = slots.room <= 0 or slots.ahead <= 0 and order > slots.last_called
    if slots.is_spent then break end
    local due = ticket == TICKET and overdue_at(0) or tonumber(redis.call('ZSCORE', BEATS, ticket) or 0)
    if is_forgiven(due) then due = silence.back_by end
    taken[#taken + 1] = ticket
    if due > now then
      reserve(ticket, heads[index + 1], due)
      slots.room, slots.ahead = slots.room - 1, slots.ahead - 1
      -- Who drew the same number is called in the same call: asked again, it would be.
      slots.last_called = math.max(slots.last_called, order)
    else
      note('expired', waited(order, due))
      count_gone()
    end
  end
  if #taken > 0 then
    redis.call('ZREM', WAITING, unpack(taken))
    redis.call('ZREM', BEATS, unpack(taken))
  end
  return #taken
end

-- As long as that many people take to poll once; for most lines short enough that nobody who polls as asked finds a
-- reservation lapsed, also when the opening was moved.
local function opening_ms()
  local least = math.min(OPENING_MS_MIN, claim_ms * OPENING_SHARE_OF_CLAIM)
  return math.max(least, math.min(OPENING_MS_MAX, redis.call('ZCARD', WAITING) * 1000 / OPENING_POLLS_PER_SECOND))
end

-- How much of the time after the opening is left in which some have not polled yet: reservations go further ahead by that.
local function opening_seconds()
  if not opens_at or now >= opens_at + OPENING_MS_MAX then return 0 end
  return math.max(0, opens_at + opening_ms() - now) / 1000
end

-- Whether this call found slots to give: then only the rate, and people who come, decide how fast the line moves.
local has_room = false

-- Gives free slots to the first of the line who are still there, as many as may walk in within the next seconds: who
-- has left is found out before the turn comes. Who goes before somebody that was called already is called in any case: who
-- missed a turn because answers came too late, and waited until all others have walked in, would be late again and again.
-- Returns true when there is more to do than one call may.
local function promote(heads_max)
  if not is_moving then return false end
  local room = max_active - redis.call('ZCOUNT', ACTIVE, AFTER_NOW, '+inf')
  has_room = room > 0
  local slots = {
    room = math.min(room, PROMOTIONS_MAX),
    ahead = math.ceil(bucket.tokens + rate * (AHEAD_SECONDS + opening_seconds())) - redis.call('ZCARD', READY),
    last_called = tonumber(redis.call('ZRANGE', READY, -1, -1, 'WITHSCORES')[2]) or 0,
  }
  local seen = 0
  while slots.room > 0 and seen < heads_max do
    local wanted = math.max(0, math.min(slots.room, slots.ahead))
    local taken = take_heads(math.min(heads_max - seen, wanted + HEADS_EXTRA), slots)
    if taken == 0 or slots.is_spent then return false end
    seen = seen + taken
  end
  return slots.room > 0
end

-- The answer to a ticket that was used up before: its session if that still runs, else how it ended.
local function answer_used()
  if is_active then return { 'admitted', slot_until, 0 } end
  return { 'ended', used == 'admitted' and 'expired' or used }
end

-- A new session holds its slot for the claim window only, until its pass comes back for the first time (touch.lua). At least
-- 10 s: the pass ends 5 s before its slot, and whole seconds, clocks that differ and the way to the visitor take some more.
local function unclaimed_ms()
  local held_ms = math.min(session_ms, math.max(claim_ms, 10000))
  return idle_ms > 0 and math.min(held_ms, idle_ms) or held_ms
end

-- Walks in: the reservation becomes a session, and the ticket is used up.
local function admit(order)
  local expires_at = now + unclaimed_ms()
  redis.call('ZREM', READY, TICKET)
  redis.call('ZADD', ACTIVE, expires_at, TICKET)
  redis.call('SET', USED, 'admitted', 'PX', KEEP_MS)
  bucket.tokens, bucket.is_changed = bucket.tokens - 1, true
  bucket.rate_count = bucket.rate_count + 1
  note('admitted', waited(order, now))
  return { 'admitted', expires_at, 1 }
end

-- While there is room the line may move at its full rate at any moment, however slowly it did before: the next poll must come
-- within the claim window of the earliest call, or the line would go on as slowly as that for ever.
local function called_in_ms(position)
  return math.max(0, (position - burst) * 1000 / rate - AHEAD_SECONDS * 1000)
end

-- Where many have left, a line moves up faster than people go in; but who has just come is asked back sooner, because that
-- many of those before have left shows only when they do not poll.
local function poll_after(position, total, is_join)
  local is_measured = bucket.rate > 0 and position > HEAD_POSITIONS
  local speed = is_measured and math.min(math.max(bucket.rate, bucket.pace), rate) or rate
  local wait_ms = speed > 0 and position * 1000 / speed or POLL_MS_MAX * 4
  local interval = math.max(POLL_MS_MIN, math.min(poll_ms_max, wait_ms / POLLS_PER_WAIT))
  local long_wait_ms = math.min(wait_ms, bucket.pace > 0 and position * 1000 / bucket.pace or wait_ms)
  local polls_per_wait = is_join and POLLS_PER_WAIT or POLLS_PER_LONG_WAIT
  interval = math.max(interval, math.min(long_wait_ms / polls_per_wait, total * 1000 / POLLS_PER_SECOND_MAX))
  if has_room then interval = math.min(interval, called_in_ms(position) + poll_ms_max) end
  return math.floor(interval * (0.85 + 0.3 * JITTER))
end

-- Says nothing about the place, which a draw keeps secret until the opening; after it, everybody comes soon.
local function poll_before_opening(total)
  local left = opens_at - now
  local interval = math.max(poll_ms_max, total * 1000 / POLLS_PER_SECOND_MAX) * (0.85 + 0.3 * JITTER)
  return math.floor(interval < left and interval or left + opening_ms() * JITTER)
end

-- Rate as thousandths, because Redis cuts numbers in replies to integers. A drawn place is told from the opening on; until
-- then everybody's is the first number of the draw.
local function answer_waiting(position, total, order, interval, has_more)
  if is_before_opening and is_drawn_place(order) and span_of(order) == draw_span then
    position, order = 0, order - order % SPAN + 1
  end
  return { 'waiting', position, total, order, interval, math.floor(bucket.rate * 1000), has_more and 1 or 0,
    is_before_opening and opens_at or 0 }
end

-- Somebody in the line has polled. Those who have a slot but are not in yet go before.
local function wait_on(order, has_more, is_join)
  local ready = redis.call('ZCARD', READY)
  local total = ready + redis.call('ZCARD', WAITING)
  local position = ready + redis.call('ZRANK', WAITING, TICKET) + 1
  local interval = is_before_opening and poll_before_opening(total) or poll_after(position, total, is_join)
  redis.call('ZADD', BEATS, overdue_at(interval), TICKET)
  return answer_waiting(position, total, order, interval, has_more)
end

-- A reserved visitor who polls walks in, or is told when to come. A token is kept for everybody before, who may be a
-- moment late; but a full bucket would only spill, so then nobody waits for others.
local function claim(order, has_more, is_join)
  local position = redis.call('ZRANK', READY, TICKET) + 1
  if is_moving and bucket.tokens >= math.min(position, kept_max()) then return admit(order) end
  local missing = math.min(position, burst) - bucket.tokens
  local wait_ms = math.max(missing, (position - bucket.tokens) / polls_per_claim(is_join)) * 1000 / rate
  local interval = math.ceil((is_moving and math.min(poll_ms_max, wait_ms) or poll_ms_max) + JITTER * CLAIM_JITTER_MS)
  redis.call('ZADD', ACTIVE, math.min(now + claim_ms, overdue_at(interval)), TICKET)
  return answer_waiting(position, redis.call('ZCARD', READY) + redis.call('ZCARD', WAITING), order, interval, has_more)
end

-- Writes what this call has changed beside the places themselves.
local function save()
  save_bucket()
  save_silence()
  if tally then save_tally(now, redis.call('ZCARD', WAITING), redis.call('ZCOUNT', ACTIVE, AFTER_NOW, '+inf')) end
end

-- The body of a join and of a poll: stand at this place, move the line on, then walk in or wait.
local function stand_at(order, is_join)
  local has_lapsed = return_lapsed(LAPSED_MAX)
  if not is_reserved then
    -- A reservation of ours that lapsed may still lie there when more lapsed than one call returns.
    if ready_order and redis.call('ZREM', READY, TICKET) == 1 then
      redis.call('ZREM', ACTIVE, TICKET)
      note('expired', waited(ready_order, slot_until))
    end
    if place ~= order then redis.call('ZADD', WAITING, order, TICKET) end
    if not place then note(is_join and 'enqueued' or 'returned') end
  end
  local has_more = promote(HEADS_MAX) or has_lapsed
  local answer = is_reserved and claim(order, has_more, is_join) or wait_on(order, has_more, is_join)
  save()
  return answer
end

-- Gives up place, reservation or session for good, and lets the next ones move up.
local function give_up(reason)
  refill()
  local order = place or ready_order
  if order then note('left', waited(order, now)) end
  if slot_until then note() end
  redis.call('ZREM', WAITING, TICKET)
  redis.call('ZREM', BEATS, TICKET)
  redis.call('ZREM', READY, TICKET)
  redis.call('ZREM', ACTIVE, TICKET)
  -- One person's ticket is remembered for longer, whoever ends it.
  redis.call('SET', USED, reason, 'PX', math.max(KEEP_MS, used and redis.call('PTTL', USED) or 0))
  local has_lapsed = return_lapsed(LAPSED_MAX)
  local has_more = promote(HEADS_MAX) or has_lapsed
  save()
  return { 'ended', reason, has_more and 1 or 0 }
end
