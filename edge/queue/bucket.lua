-- What the line has in hand: tokens to walk in with, the sequence, and how fast it moves. It stands behind event.lua and
-- order.lua, and in front of silence.lua and line.lua.
--
-- KEYS[2] waiting  zset: ticket -> order in the line
-- KEYS[5] ready    zset: ticket -> its order in the line
-- KEYS[6] bucket   hash: tokens, refilled_at, sequence, rate, rate_at, rate_count, pace, gone_count
-- ARGV: none of its own
-- Returns nothing by itself: the script that follows does.

local WAITING, READY, BUCKET = KEYS[2], KEYS[5], KEYS[6]

local stored = redis.call('HMGET', BUCKET, 'tokens', 'refilled_at', 'sequence', 'rate', 'rate_at', 'rate_count',
  'heard_at', 'silent_from', 'silent_to', 'back_by', 'pace', 'gone_count')

-- A token pays for walking in, not for a reservation: people who were told "your turn" at different times and come
-- together still come no faster than the rate.
local bucket
local function refill()
  local tokens, refilled_at = tonumber(stored[1]) or burst, tonumber(stored[2]) or now
  bucket = {
    tokens = math.min(burst, tokens + math.max(0, now - refilled_at) * rate / 1000),
    -- What a smaller burst has spilled does not come back with a larger one: only time fills the bucket.
    is_changed = tokens > burst,
    sequence = tonumber(stored[3]) or 0,
    rate = tonumber(stored[4]) or 0,
    rate_at = tonumber(stored[5]) or now,
    rate_count = tonumber(stored[6]) or 0,
    pace = tonumber(stored[11]) or 0,
    gone_count = tonumber(stored[12]) or 0,
  }
end

-- Somebody who stood in the line, or was called, is found to have left: those behind move up as if they had gone in.
local function count_gone()
  bucket.gone_count, bucket.is_changed = bucket.gone_count + 1, true
end

-- The measured rate is a moving average over spans of at least two seconds in which people waited: an empty line
-- says nothing about how fast a full one moves, nor does one that may not move yet. The pace, at which those behind move up,
-- is that of all who go in or are found gone.
local RATE_SPAN_MS = 2000
local RATE_WEIGHT = 0.3
local function average(before, measured)
  return before > 0 and (before * (1 - RATE_WEIGHT) + measured * RATE_WEIGHT) or measured
end

local function measure_rate(span)
  if is_before_opening then
    bucket.rate, bucket.pace = 0, 0
  elseif span > 0 and redis.call('ZCARD', WAITING) + redis.call('ZCARD', READY) > 0 then
    bucket.rate = average(bucket.rate, bucket.rate_count * 1000 / span)
    bucket.pace = average(bucket.pace, (bucket.rate_count + bucket.gone_count) * 1000 / span)
  end
  bucket.rate_at, bucket.rate_count, bucket.gone_count = now, 0, 0
end

-- So much of the bucket, and no more than half of it, is not kept for those who are late: nothing spills between two polls.
local SPARE_SECONDS = 0.2
local function kept_max()
  return burst - math.min(math.floor(burst / 2), math.floor(rate * SPARE_SECONDS))
end

-- Who waits is asked back after this part of the time that seems left; less often in a line that is too long for that.
local POLLS_PER_WAIT = 4
local POLLS_PER_LONG_WAIT = 2.5
-- So are those with a reservation, who know better when their turn is: at a high rate they poll for little else than to walk
-- in, because all of them together would be most of what a gate has to answer.
local POLLS_PER_CLAIM_MIN = 1.25
local CLAIM_POLLS_PER_SECOND = 400
local function polls_per_claim(is_join)
  if is_join or rate <= 0 then return POLLS_PER_WAIT end
  return math.min(POLLS_PER_WAIT, math.max(CLAIM_POLLS_PER_SECOND, POLLS_PER_CLAIM_MIN * math.max(rate, bucket.pace)) / rate)
end

-- What time alone adds to the bucket is worked out again by the next call, so that most polls need not write it.
local function save_bucket()
  local span = now - bucket.rate_at
  -- A clock that was set back begins a new span, or the bucket would stay as it is until the old time comes again.
  local is_over = span < 0 or span >= RATE_SPAN_MS
  if is_over then measure_rate(span) end
  if not (is_over or bucket.is_changed) then return end
  redis.call('HSET', BUCKET, 'tokens', string.format('%.9f', bucket.tokens), 'refilled_at', now, 'sequence', bucket.sequence,
    'rate', string.format('%.6f', bucket.rate), 'rate_at', bucket.rate_at, 'rate_count', bucket.rate_count,
    'pace', string.format('%.6f', bucket.pace), 'gone_count', bucket.gone_count)
end

-- After a loss of the store's data, too, the numbers go on behind those already given out, so that nobody is overtaken.
local function go_on_behind(order)
  local sequence = sequence_behind(order, now)
  local is_behind = is_drawn_place(order) and span_of(bucket.sequence) > span_of(order) or bucket.sequence >= sequence
  if not is_behind then bucket.sequence, bucket.is_changed = sequence, true end
end
