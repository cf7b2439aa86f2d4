-- The answer to a visitor who waits, and the steps of a join, a poll and a departure.
--
-- KEYS: those of line.lua
-- ARGV: those of line.lua
-- Returns nothing: the script that includes it does.

-- @include "flow"
-- @include "line"
-- @include "poll"

-- By when the slot that this place waits for has returned, if no session is extended: sessions end in the order of
-- their times, and those who enter then have a session's time as well. 0 where there is a free slot for this place.
local function latest_at(seen)
  local held = max_active - seen.room
  local behind = seen.position - seen.room - 1
  if behind < 0 or held <= 0 then return 0 end
  local last = redis.call('ZRANGE', ACTIVE, behind % held, behind % held, 'WITHSCORES')[2]
  return last and math.ceil(tonumber(last) + math.floor(behind / held) * session_ms) or 0
end

-- {'waiting', position or 0, total, order, pollAfterMs, admissionsPerThousandSeconds, freedPerThousandSeconds,
-- presentPerThousand, stillMs, hasMore, opensAt or 0, freeSlots, takenSlots, latestAt or 0}: integers, because Redis
-- truncates numbers in replies. A drawn place is shown from the opening on; until then each visitor sees the first
-- number of the draw.
local function answer_waiting(seen, total, order, interval)
  local position = seen.position
  if is_before_opening and is_drawn_place(order) and span_of(order) == draw_span then
    position, order = 0, order - order % SPAN + 1
  end
  local admissions, freed, present, still_ms = flow_facts(bucket, now)
  return { 'waiting', position, total, order, interval, admissions, freed, present, still_ms, seen.has_more and 1 or 0,
    is_before_opening and opens_at or 0, math.max(0, seen.room), max_active - seen.room, latest_at(seen) }
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
    begin_span()
    bucket.is_changed = true
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
  local seen = look_ahead(order)
  seen.has_more = seen.has_more or has_lapsed
  local answer = may_enter(seen) and admit(seen, order) or wait_on(seen, order, is_join)
  save()
  return answer
end

-- Gives up the place or the session for good.
local function give_up(reason)
  refill()
  if place then note('left', waited(place, now)) end
  if slot_until then
    note()
    count_freed(1)
  end
  redis.call('ZREM', WAITING, TICKET)
  redis.call('ZREM', BEATS, TICKET)
  redis.call('ZREM', ACTIVE, TICKET)
  redis.call('ZREM', READY, TICKET)
  -- An invited person's ticket is remembered for longer, whichever call ends it.
  redis.call('SET', USED, reason, 'PX', math.max(KEEP_MS, used and redis.call('PTTL', USED) or 0))
  local has_lapsed = return_lapsed(LAPSED_MAX)
  save()
  return { 'ended', reason, has_lapsed and 1 or 0 }
end
