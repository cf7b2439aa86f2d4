-- Shared by the scripts of the line: the state of one queue, read once, and the steps that change it.
-- It follows event.lua, order.lua, tally.lua, flow.lua, bucket.lua and silence.lua, and comes before enter, beat, leave, end and sweep, which
-- are given the same first eight keys.
--
-- How the line moves: every visitor is told when to poll next. Near the head that is shortly before the visitor's own entry time,
-- which follows from the place and the rate, so that visitors arrive in the order of their places. A visitor who polls enters when
-- there is a slot and a token for them and for everybody before them who may still be on time, and when nobody before them is
-- expected later. A visitor who stops polling is skipped and costs neither.
--
-- KEYS[1] meta     hash: the queue's configuration
-- KEYS[2] waiting  zset: ticket -> order in the line (lane first, then sequence)
-- KEYS[3] beats    zset: ticket -> when its next poll is overdue (ms)
-- KEYS[4] active   zset: session -> when its slot returns (ms)
-- KEYS[5] ready    zset: session -> its order in the line; those in active whose pass was not presented yet
-- KEYS[6] bucket   hash: see bucket.lua
-- KEYS[7] used     string: how this ticket was used up, kept as long as the ticket could come back; with the entry time where that
--                  lies ahead
-- KEYS[8] stats    hash: what tally.lua counts
-- ARGV[1] ticket   the ticket's id, which is also the id of its session
-- ARGV[2] now      milliseconds, or '' for the server's own clock; only a simulation passes one
-- ARGV[3] jitter   0 to 1, spreads the polls
-- ARGV[4] keepMs   how long any ticket of this visitor can still come back
-- Returns nothing by itself: the script that follows does.

local ACTIVE, READY, USED = KEYS[4], KEYS[5], KEYS[7]
local TICKET, JITTER, KEEP_MS = ARGV[1], tonumber(ARGV[3]), tonumber(ARGV[4])

-- Bounds on the work of one call, so that no visitor's poll holds up the others.
local LAPSED_MAX = 64
-- A visitor further back than this does not enter with this call: those before come first.
local LOOK_MAX = 256
-- A visitor further back looks only at the very first, and leaves the others to a sweep.
local FAR_LOOK = 4

-- A visitor before us who is this late no longer counts: the turn is taken by those who are here.
local TURN_LATE_MS = 200
-- And this late, near the head, such a visitor is taken for gone: who comes back takes the old place again.
local GONE_MS = 700
-- A visitor before us who is expected within this time is as good as here.
local SOON_MS = 50
-- The shortest time after which a visitor is asked to poll again.
local POLL_MS_LEAST = 15

local POLL_MS_MIN = 1000
local POLL_MS_MAX = 20000
-- Slots may come free at any moment: the first in line poll as if that happened at the full rate.
local HEAD_POSITIONS = 100
-- Visitors far from their turn poll together no faster than this; those who enter soon may.
local POLLS_PER_SECOND_MAX = 1000
-- Within this time of the entry a visitor is asked to come at that very time; at a high rate earlier, for fewer polls.
local EXACT_MS = 1000
local EXACT_MS_MAX = 5000
local EXACT_RATE = 300
-- Where many of those before have left, a visitor comes earlier, but not before this part of the time.
local EARLY_SHARE_MIN = 0.5
-- Where slots decide and sessions are short, the first in line poll more often: a free slot stays empty for about this share of a
-- session.
local EMPTY_SHARE = 0.05
local SLOT_POLL_MS_MIN = 100
local SLOT_WAIT_MS = 4000
-- After the opening everybody who waited for it polls once, spread over this time: the line needs to know who is present. The rate
-- is half of what Redis answers with a million waiting (docs/performance.md).
local OPENING_POLLS_PER_SECOND = 8000
local OPENING_MS_MIN = 2000
local OPENING_MS_MAX = 125000
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
-- In any other mode, and before the opening, nobody enters.
local is_moving = (mode == 'active' or mode == 'drain') and not is_before_opening

-- Slots whose time is over return. True when there are more of them than one call may return.
local function return_lapsed(limit)
  local lapsed = redis.call('ZRANGEBYSCORE', ACTIVE, '-inf', now, 'LIMIT', 0, limit)
  if #lapsed == 0 then return false end
  redis.call('ZREM', ACTIVE, unpack(lapsed))
  redis.call('ZREM', READY, unpack(lapsed))
  note()
  return #lapsed == limit
end

local function free_slots()
  return max_active - redis.call('ZCOUNT', ACTIVE, AFTER_NOW, '+inf')
end

-- Looks at the first ones of the line. Those whose poll is later than that leave Redis: their signed ticket keeps their place. Returns when
-- the next poll of each of the others is overdue, and how many have left.
local function look_at_heads(count, late_ms)
  -- In a line that does not move nobody is missed.
  if count <= 0 or not is_moving then return {}, 0 end
  local heads = redis.call('ZRANGE', WAITING, 0, count - 1, 'WITHSCORES')
  local tickets, orders = {}, {}
  for index = 1, #heads, 2 do
    tickets[#tickets + 1], orders[#orders + 1] = heads[index], tonumber(heads[index + 1])
  end
  if #tickets == 0 then return {}, 0 end
  local present, gone = {}, {}
  for index, text in ipairs(redis.call('ZMSCORE', BEATS, unpack(tickets))) do
    local due = tonumber(text) or 0
    if due - LATE_MS + late_ms > now or is_forgiven(due) or tickets[index] == TICKET then
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
local function look_ahead()
  local rank = redis.call('ZRANK', WAITING, TICKET)
  local is_far = rank >= LOOK_MAX
  local dues, gone = look_at_heads(is_far and FAR_LOOK or rank, GONE_MS)
  local seen = { position = rank + 1 - gone, is_far = is_far, has_more = is_far and gone == FAR_LOOK, room = free_slots() }
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
    and entry_ms(seen.turn) <= hold_ms(seen.room)
end

-- The answer to a ticket that was used up before: its session if that still runs, else how it ended.
local function answer_used()
  if is_active then return { 'admitted', slot_until, 0, math.max(0, (tonumber(enters_at) or 0) - now) } end
  return { 'ended', used == 'admitted' and 'expired' or used }
end

-- A new session holds its slot for the claim window only, until its pass comes back for the first time (touch.lua). At least
-- 10 s: the pass ends 5 s before its slot, and whole seconds, clocks that differ and the way to the visitor take some more.
local function unclaimed_ms()
  local held_ms = math.min(session_ms, math.max(claim_ms, 10000))
  return idle_ms > 0 and math.min(held_ms, idle_ms) or held_ms
end

-- The visitor enters, at once or at the time of the next token: the edge holds the answer until then. Ready until the pass is
-- presented.
local function admit(seen, order)
  local entry = take_entry(seen.turn)
  local expires_at = entry + unclaimed_ms()
  redis.call('ZREM', WAITING, TICKET)
  redis.call('ZREM', BEATS, TICKET)
  redis.call('ZADD', ACTIVE, expires_at, TICKET)
  redis.call('ZADD', READY, order, TICKET)
  redis.call('SET', USED, entry > now and 'admitted:' .. entry or 'admitted', 'PX', KEEP_MS)
  note('admitted', waited(order, entry))
  return { 'admitted', expires_at, 1, entry - now }
end

-- As long as that many people take to poll once.
local function opening_ms()
  return math.max(OPENING_MS_MIN, math.min(OPENING_MS_MAX, redis.call('ZCARD', WAITING) * 1000 / OPENING_POLLS_PER_SECOND))
end

-- By when the slot that this place waits for has returned, if no session is renewed: sessions end in the order of their times, and
-- those who enter then have a session's time as well. 0 when there are free slots.
local function latest_at(seen)
  if seen.room > 0 or max_active <= 0 then return 0 end
  local behind = math.max(0, -seen.room) + seen.position - 1
  local held = max_active - seen.room
  local last = redis.call('ZRANGE', ACTIVE, behind % held, behind % held, 'WITHSCORES')[2]
  return last and math.ceil(tonumber(last) + math.floor(behind / held) * session_ms) or 0
end

-- Where many have left, a line moves up faster than people enter; but a newcomer is asked back sooner, because visitors who left
-- are found only when they do not poll.
local function far_poll_ms(seen, total, is_join)
  local position = seen.position
  local is_measured = bucket.rate > 0 and position > HEAD_POSITIONS
  local speed = is_measured and math.min(math.max(bucket.rate, bucket.pace), rate) or rate
  local wait_ms = position * 1000 / speed
  local interval = math.max(POLL_MS_MIN, math.min(POLL_MS_MAX, wait_ms / POLLS_PER_WAIT))
  local long_wait_ms = math.min(wait_ms, bucket.pace > 0 and position * 1000 / bucket.pace or wait_ms)
  local polls_per_wait = is_join and POLLS_PER_WAIT or POLLS_PER_LONG_WAIT
  interval = math.max(interval, math.min(long_wait_ms / polls_per_wait, total * 1000 / POLLS_PER_SECOND_MAX))
  return interval * (0.85 + 0.3 * JITTER)
end

-- Where slots decide, the next ones look often enough that a free slot does not stay empty for long.
local function slot_poll_ms(seen)
  -- Nothing is measured in a line that has just begun: until then slots may come free as fast as the rate allows.
  local is_new = bucket.rate == 0 and now - bucket.rate_at < RATE_SPAN_MS_MIN
  local measured = is_new and rate or measured_rate(bucket, now)
  if measured == 0 then return nil end
  local wait_ms = (seen.turn - 1 - math.max(0, seen.room)) * 1000 / measured
  if wait_ms > SLOT_WAIT_MS then return nil end
  local least = math.max(SLOT_POLL_MS_MIN, measured * 0.7, math.min(POLL_MS_MIN, EMPTY_SHARE * max_active * 1000 / measured))
  return math.max(least, wait_ms / POLLS_PER_WAIT)
end

-- When the caller is to poll again.
local function poll_after(seen, total, is_join)
  local interval = far_poll_ms(seen, total, is_join)
  if is_moving and seen.turn <= seen.room then
    local lead = lead_ms(seen.room)
    -- Not after the one before: a line in which each comes after the other would never catch up.
    local held_up_ms = seen.expected_by and seen.expected_by - now or 0
    -- A visitor who comes too early is asked again; one who comes too late may leave a token unused.
    local exact = math.max(entry_ms(seen.turn * math.max(EARLY_SHARE_MIN, present_share(bucket))) - lead, held_up_ms, POLL_MS_LEAST)
    local exact_max = math.min(EXACT_MS_MAX, EXACT_MS * math.max(1, rate / EXACT_RATE))
    interval = exact <= exact_max and exact or math.min(interval, exact)
  elseif is_moving then
    interval = math.min(interval, slot_poll_ms(seen) or interval)
  end
  return math.ceil(interval)
end

-- Says nothing about the place, which a draw keeps secret until the opening; after it, everybody comes soon.
local function poll_before_opening(total)
  local left = opens_at - now
  local interval = math.max(POLL_MS_MAX * 0.6, total * 1000 / POLLS_PER_SECOND_MAX) * (0.85 + 0.3 * JITTER)
  return math.floor(interval < left and interval or left + opening_ms() * JITTER)
end

-- {'waiting', position or 0, total, order, pollAfterMs, admissionsPerThousandSeconds, presentPerThousand, stillMs, hasMore, opensAt or 0,
--  freeSlots, latestAt or 0}: integers, because Redis cuts numbers in replies. A drawn place is told from the opening on; until then everybody's is the first number of the draw.
local function answer_waiting(seen, total, order, interval)
  local position = seen.position
  if is_before_opening and is_drawn_place(order) and span_of(order) == draw_span then
    position, order = 0, order - order % SPAN + 1
  end
  local admissions, present, still_ms = flow_facts(bucket, now)
  return { 'waiting', position, total, order, interval, admissions, present, still_ms, seen.has_more and 1 or 0,
    is_before_opening and opens_at or 0, math.max(0, seen.room), latest_at(seen) }
end

local function wait_on(seen, order, is_join)
  local total = redis.call('ZCARD', WAITING)
  local interval = is_before_opening and poll_before_opening(total) or poll_after(seen, total, is_join)
  redis.call('ZADD', BEATS, now + interval + LATE_MS, TICKET)
  return answer_waiting(seen, total, order, interval)
end

-- Writes what this call has changed beside the places themselves.
local function save()
  save_bucket()
  save_silence()
  if tally then save_tally(now, redis.call('ZCARD', WAITING), redis.call('ZCOUNT', ACTIVE, AFTER_NOW, '+inf')) end
end

-- A new line is measured from its beginning: what came before says nothing about it.
local function note_beginning()
  if redis.call('ZCARD', WAITING) == 0 then
    bucket.rate_at, bucket.rate_count, bucket.gone_count, bucket.is_changed = now, 0, 0, true
  end
end

-- The body of a join and of a poll: take this place, then enter or wait.
local function stand_at(order, is_join)
  local has_lapsed = return_lapsed(LAPSED_MAX)
  if not place then
    note_beginning()
    note(is_join and 'enqueued' or 'returned')
  end
  if place ~= order then redis.call('ZADD', WAITING, order, TICKET) end
  local seen = look_ahead()
  seen.has_more = seen.has_more or has_lapsed
  local answer = may_enter(seen) and admit(seen, order) or wait_on(seen, order, is_join)
  save()
  return answer
end

-- Gives up the place or the session for good.
local function give_up(reason)
  refill()
  if place then note('left', waited(place, now)) end
  if slot_until then note() end
  redis.call('ZREM', WAITING, TICKET)
  redis.call('ZREM', BEATS, TICKET)
  redis.call('ZREM', ACTIVE, TICKET)
  redis.call('ZREM', READY, TICKET)
  -- One person's ticket is remembered for longer, whoever ends it.
  redis.call('SET', USED, reason, 'PX', math.max(KEEP_MS, used and redis.call('PTTL', USED) or 0))
  local has_lapsed = return_lapsed(LAPSED_MAX)
  save()
  return { 'ended', reason, has_lapsed and 1 or 0 }
end
