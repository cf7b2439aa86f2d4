-- The number of a place: it carries the lane and when the place was taken, or which number was drawn.
--
-- KEYS: none of its own
-- ARGV: none of its own
-- Returns nothing: the script that includes it does.

-- Lanes are apart by more than any sequence can grow, and the sum stays exact in a double.
local LANE_SPAN = 2 ^ 50
-- The sequence is a clock that ticks 64 times a millisecond and at every join. So a place tells when it was taken, and
-- nothing has to be stored for that, also for those who are gone when it is asked.
local SEQUENCE_PER_MS = 64
local SEQUENCE_FROM_MS = 1704067200000
-- Places that are taken in turn have even numbers, drawn ones odd numbers. A draw has a span of numbers for itself;
-- those who come after it get numbers behind that span, from the same clock, put forward by whole spans.
local STEP = 2
local SPAN = 2 ^ 40

local function clock_at(at)
  return (at - SEQUENCE_FROM_MS) * SEQUENCE_PER_MS
end

-- Behind all earlier places, also when the clock was set back.
local function next_sequence(last, at)
  local clock = clock_at(at)
  local spans_ahead = math.max(0, math.floor((last - clock) / SPAN + 0.5))
  return math.max(last + STEP, clock + spans_ahead * SPAN)
end

local function is_drawn_place(order)
  return order % 2 == 1
end

local function span_of(order)
  return math.floor(order % LANE_SPAN / SPAN)
end

-- The smallest sequence that puts the next place behind this one, and behind the whole draw that it is from.
local function sequence_behind(order, at)
  return is_drawn_place(order) and (span_of(order) + 1) * SPAN + clock_at(at) % SPAN or order % LANE_SPAN
end
