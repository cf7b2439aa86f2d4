-- When a visitor who waits is to poll again.
--
-- KEYS: none of its own
-- ARGV: none of its own
-- Returns nothing: the script that includes it does.

-- @include "flow"
-- @include "line"

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
-- Where slots decide and sessions are short, the first in line poll more often: a free slot stays empty for about this
-- share of a session.
local EMPTY_SHARE = 0.05
local SLOT_POLL_MS_MIN = 100
local SLOT_WAIT_MS = 4000
-- After the opening each visitor who waited for it polls once, spread over this time: the line needs to know who is
-- present. The rate is half of what Redis answers with a million waiting: 9,633 polls a second of its own time
-- (docs/performance.md, line-cost).
local OPENING_POLLS_PER_SECOND = 4800
local OPENING_MS_MIN = 2000
local OPENING_MS_MAX = 210000

-- As long as that many people take to poll once.
local function opening_ms()
  local polls_ms = redis.call('ZCARD', WAITING) * 1000 / OPENING_POLLS_PER_SECOND
  return math.max(OPENING_MS_MIN, math.min(OPENING_MS_MAX, polls_ms))
end

-- Where many have left, a line moves up faster than people enter; but a newcomer is asked back sooner, because visitors
-- who left are found only when they do not poll.
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
  local is_new = bucket.freed == 0 and now - bucket.rate_at < RATE_SPAN_MS_MIN
  local freed = is_new and rate or freed_rate(bucket, now)
  if freed == 0 then return nil end
  local wait_ms = (seen.turn - 1 - math.max(0, seen.room)) * 1000 / freed
  if wait_ms > SLOT_WAIT_MS then return nil end
  local least = math.max(SLOT_POLL_MS_MIN, freed * 0.7, math.min(POLL_MS_MIN, EMPTY_SHARE * max_active * 1000 / freed))
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
    local turn = seen.turn * math.max(EARLY_SHARE_MIN, present_share(bucket))
    local exact = math.max(entry_ms(turn, seen.order) - lead, held_up_ms, POLL_MS_LEAST)
    local exact_max = math.min(EXACT_MS_MAX, EXACT_MS * math.max(1, rate / EXACT_RATE))
    interval = exact <= exact_max and exact or math.min(interval, exact)
  elseif is_moving then
    interval = math.min(interval, slot_poll_ms(seen) or interval)
  end
  return math.ceil(interval)
end

-- Independent of the place, which a draw keeps secret until the opening; shortly after it, all visitors poll.
local function poll_before_opening(total)
  local left = opens_at - now
  local interval = math.max(POLL_MS_MAX * 0.6, total * 1000 / POLLS_PER_SECOND_MAX) * (0.85 + 0.3 * JITTER)
  return math.floor(interval < left and interval or left + opening_ms() * JITTER)
end
