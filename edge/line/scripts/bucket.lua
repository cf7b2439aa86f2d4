-- Tokens to enter with, the sequence, and how fast the line moves.
--
-- KEYS[2] waiting  zset: ticket -> order in the line
-- KEYS[6] bucket   hash: tokens, refilled_at, sequence, rate, rate_at, rate_count, pace, gone_count, admitted_at,
--                  credit, free, granted, freed, freed_count
-- ARGV: none of its own
-- Returns nothing: the script that includes it does.

-- @include "event"
-- @include "order"

local WAITING, BUCKET = KEYS[2], KEYS[6]

local stored = redis.call('HMGET', BUCKET, 'tokens', 'refilled_at', 'sequence', 'rate', 'rate_at', 'rate_count',
  'heard_at', 'silent_from', 'silent_to', 'back_by', 'pace', 'gone_count', 'admitted_at', 'credit', 'free', 'freed',
  'freed_count', 'granted')

-- A small burst leaves no room for late arrivals: with a burst of 1 a token that is not taken at once is lost. So
-- visitors are asked to poll up to this much before their entry time, and the edge holds the answer until then.
local HOLD_MS_MAX = 500
-- The share of the hold by which a visitor comes early; the rest is for a visitor before them who is late.
local LEAD_SHARE = 0.6
-- A visitor takes no entry that was left free more than this before the entry of a visitor in front of them.
local PASSING_MS_MAX = 200
-- So many entries ahead are remembered for that.
local GRANTED_MAX = 128
-- A larger burst saves tokens up, so visitors come at most this much after their entry time, when those before them are
-- in.
local LAG_MS_MAX = 100

local bucket
local function begin_span()
  bucket.rate_at, bucket.rate_count, bucket.gone_count, bucket.freed_count = now, 0, 0, 0
end

-- One token pays for one entry. Entries may be granted ahead, one for each token to come; then `at` is the time of the
-- last of them, and a change of the rate applies to what comes after it. An entry that was left free for a visitor
-- before, who may still be on time, is in `free` until its time; after that its token is credit, as far as the burst
-- allows. `granted` are the entries that lie ahead.
local function refill()
  local tokens, at = tonumber(stored[1]) or burst, tonumber(stored[2]) or now
  local credit, free = tonumber(stored[14]) or 0, {}
  for text in string.gmatch(stored[15] or '', '%S+') do
    local time = tonumber(text)
    if time <= now then credit = credit + 1 elseif time < at then free[#free + 1] = time end
  end
  -- A clock that was set back must not stop the line until the old time comes again. Tokens that a smaller burst has
  -- spilled do not come back with a larger one: only time fills the bucket.
  local is_set_back = at > now + HOLD_MS_MAX + 1
  local is_changed = is_set_back or tokens > burst or credit > burst - 1
  if is_set_back then at = now end
  credit = math.min(credit, burst - 1)
  local granted = {}
  for order, time in string.gmatch(stored[18] or '', '(%d+):(%d+)') do
    if tonumber(time) > now then granted[#granted + 1] = { order = tonumber(order), time = tonumber(time) } end
  end
  if at <= now then tokens, credit = tokens + (now - at) * rate / 1000 + credit, 0 end
  bucket = {
    tokens = math.min(burst, tokens),
    at = math.max(at, now),
    credit = credit,
    free = free,
    is_changed = is_changed,
    sequence = tonumber(stored[3]) or 0,
    rate = tonumber(stored[4]) or 0,
    rate_at = tonumber(stored[5]) or now,
    rate_count = tonumber(stored[6]) or 0,
    pace = tonumber(stored[11]) or 0,
    gone_count = tonumber(stored[12]) or 0,
    admitted_at = tonumber(stored[13]) or 0,
    freed = tonumber(stored[16]) or 0,
    freed_count = tonumber(stored[17]) or 0,
    granted = granted,
  }
  -- A clock that was set back begins a new span, or nothing would be measured until the old time comes again.
  if bucket.rate_at > now then begin_span() end
end

-- Which of the entries that were left free a visitor at this place may take: how much of the credit, and from which of
-- `free` on.
local function open_entries(order)
  local earliest = now
  for _, other in ipairs(bucket.granted) do
    if other.order < order then earliest = math.max(earliest, other.time - PASSING_MS_MAX) end
  end
  local from = 1
  while bucket.free[from] and bucket.free[from] < earliest do from = from + 1 end
  return earliest > now and 0 or bucket.credit, from
end

-- Milliseconds until the entry that the given number of visitors, one after the other, come to; negative when it has
-- been free for a while. The last of them stands at this place.
local function entry_ms(number, order)
  local credit, from = open_entries(order)
  if number <= credit then return 0 end
  local left = #bucket.free - from + 1
  local behind = number - credit - left
  if behind <= 0 then return bucket.free[from - 1 + math.ceil(number - credit)] - now end
  return bucket.at - now + (behind - bucket.tokens) * 1000 / rate
end

-- Takes that entry, and leaves those before it free. Returns its time.
local function take_entry(number, order)
  local entry = now + math.max(0, entry_ms(number, order))
  local credit, from = open_entries(order)
  local behind = number - credit - (#bucket.free - from + 1)
  if number <= credit then
    bucket.credit = bucket.credit - 1
  elseif behind <= 0 then
    table.remove(bucket.free, from - 1 + number - credit)
  elseif entry <= now then
    bucket.tokens = bucket.tokens - 1
  else
    local at, tokens = bucket.at, bucket.tokens
    for skipped = 1, behind - 1 do
      local time = at + (skipped - tokens) * 1000 / rate
      if time > now then bucket.free[#bucket.free + 1] = time else
        bucket.credit = math.min(bucket.credit + 1, burst - 1)
      end
    end
    bucket.at, bucket.tokens = entry, 0
  end
  bucket.rate_count, bucket.admitted_at, bucket.is_changed = bucket.rate_count + 1, now, true
  if entry > now then
    bucket.granted[#bucket.granted + 1] = { order = order, time = math.ceil(entry) }
    if #bucket.granted > GRANTED_MAX then table.remove(bucket.granted, 1) end
  end
  return math.ceil(entry)
end

-- How far ahead an entry may be granted. A visitor who is held has a slot already, so that at most half of the free
-- slots are used for it.
local function hold_ms(room)
  local saved_ms = (burst - 1) * 1000 / rate
  return math.max(0, math.min(HOLD_MS_MAX - saved_ms, room * 500 / rate))
end

-- How long before the entry time a visitor is asked to come; negative with a burst that saves tokens up.
local function lead_ms(room)
  local saved_ms = (burst - 1) * 1000 / rate
  if saved_ms < HOLD_MS_MAX then return LEAD_SHARE * hold_ms(room) end
  return -math.min(LAG_MS_MAX, (saved_ms - HOLD_MS_MAX) / 4)
end

-- A visitor is found to have left: those behind move up as if this visitor had entered.
local function count_gone()
  bucket.gone_count, bucket.is_changed = bucket.gone_count + 1, true
end

-- Slots return, so that other visitors can enter.
local function count_freed(count)
  bucket.freed_count, bucket.is_changed = bucket.freed_count + count, true
end

-- The measured rate is a moving average over spans in which people waited: an empty line says nothing about how fast a
-- full one moves, nor does one that may not move yet. A span ends after a few admissions, so that a slow line is
-- measured over a longer time. The pace, at which those behind move up, is that of all who enter or are found gone.
local RATE_SPAN_MS_MIN = 2000
local RATE_SPAN_MS_MAX = 120000
local RATE_SPAN_COUNT = 5
-- How much of an average is left after a span of the shortest length; a longer span counts for more. Visitors leave
-- less evenly than they enter, so that is averaged over half a minute.
local RATE_KEPT = 0.7
local FREED_KEPT = 0.93
local function average(before, measured, span, kept_share)
  local kept = before > 0 and (kept_share or RATE_KEPT) ^ (span / RATE_SPAN_MS_MIN) or 0
  return before * kept + measured * (1 - kept)
end

local function measure_rate(span)
  if is_before_opening then
    bucket.rate, bucket.pace, bucket.freed = 0, 0, 0
  elseif span > 0 and redis.call('ZCARD', WAITING) > 0 then
    bucket.rate = average(bucket.rate, bucket.rate_count * 1000 / span, span)
    bucket.pace = average(bucket.pace, (bucket.rate_count + bucket.gone_count) * 1000 / span, span)
    bucket.freed = average(bucket.freed, bucket.freed_count * 1000 / span, span, FREED_KEPT)
  end
  begin_span()
end

-- Visitors in the line are asked back after this part of the time that seems left; less often in a line that is too
-- long for that.
local POLLS_PER_WAIT = 4
local POLLS_PER_LONG_WAIT = 2.5

local function free_text()
  local texts = {}
  for index, time in ipairs(bucket.free) do texts[index] = string.format('%.6f', time) end
  return table.concat(texts, ' ')
end

local function granted_text()
  local texts = {}
  for index, other in ipairs(bucket.granted) do texts[index] = string.format('%.0f:%.0f', other.order, other.time) end
  return table.concat(texts, ' ')
end

-- Most polls write nothing: the next call computes again what only the passing time adds to the bucket.
local function save_bucket()
  local span = now - bucket.rate_at
  local count = bucket.rate_count + bucket.gone_count + bucket.freed_count
  local is_over = span >= RATE_SPAN_MS_MAX
    or span >= RATE_SPAN_MS_MIN and (is_before_opening or count >= RATE_SPAN_COUNT)
  if is_over then measure_rate(span) end
  if not (is_over or bucket.is_changed) then return end
  redis.call('HSET', BUCKET, 'tokens', string.format('%.9f', bucket.tokens),
    'refilled_at', string.format('%.6f', bucket.at), 'sequence', bucket.sequence,
    'rate', string.format('%.6f', bucket.rate), 'rate_at', bucket.rate_at,
    'rate_count', bucket.rate_count, 'pace', string.format('%.6f', bucket.pace), 'gone_count', bucket.gone_count,
    'admitted_at', bucket.admitted_at, 'credit', bucket.credit, 'free', free_text(),
    'freed', string.format('%.6f', bucket.freed), 'freed_count', bucket.freed_count, 'granted', granted_text())
end

-- After a loss of the store's data, too, the numbers continue behind those already given out, so that no visitor is
-- overtaken.
local function go_on_behind(order)
  local sequence = sequence_behind(order, now)
  local is_behind = is_drawn_place(order) and span_of(bucket.sequence) > span_of(order) or bucket.sequence >= sequence
  if not is_behind then bucket.sequence, bucket.is_changed = sequence, true end
end
