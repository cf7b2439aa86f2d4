-- Distinguishes an outage of the store from visitors who left. When no call arrived for a while, although several
-- visitors should have polled, the store was unavailable, and the visitors who were present before get the time to come
-- back: otherwise the first to poll would pass all others.
--
-- KEYS[3] beats   zset: ticket -> when its next poll is overdue (ms)
-- KEYS[6] bucket  hash: heard_at, silent_from, silent_to, back_by
-- ARGV: none of its own
-- Returns nothing: the script that includes it does.

-- @include "bucket"

local BEATS = KEYS[3]

-- A poll that is later than this is overdue.
local LATE_MS = 1500
-- Longer than a line with people in it is ever silent.
local SILENCE_MS = 2000
-- Fewer may have left together.
local MISSED_POLLS_MIN = 5
-- After an outage visitors are back within the pauses between their retries, which grow with its length.
local RETURN_MS_MIN = 3000
local RETURN_MS_MAX = 12000
-- The time of the last call is written this often.
local HEARD_EVERY_MS = 250

local heard_at = tonumber(stored[7]) or now
local silence = { from = tonumber(stored[8]) or 0, to = tonumber(stored[9]) or 0, back_by = tonumber(stored[10]) or 0 }

local function is_returning()
  return now >= silence.to and now < silence.back_by
end

-- Polls that were asked for since then and did not come.
local function missed_since(at)
  local after = '(' .. string.format('%.0f', at + LATE_MS)
  return redis.call('ZCOUNT', BEATS, after, now + LATE_MS)
end

if now - heard_at >= SILENCE_MS and missed_since(heard_at) >= MISSED_POLLS_MIN then
  -- Visitors who had no time to come back from the outage before are still waited for.
  if not is_returning() then silence.from = heard_at end
  silence.to = now
  silence.back_by = now + math.max(RETURN_MS_MIN, math.min(RETURN_MS_MAX, now - heard_at))
  silence.is_new = true
end

-- Whether a poll that is overdue at this time was asked for during the outage, or could not come because of it.
local function is_forgiven(due)
  return is_returning() and due > silence.from and due <= silence.to + LATE_MS
end

local function save_silence()
  local since = now - heard_at
  if silence.is_new then
    redis.call('HSET', BUCKET, 'heard_at', now, 'silent_from', silence.from, 'silent_to', silence.to,
      'back_by', silence.back_by)
  elseif (not stored[7] or since < 0 or since >= HEARD_EVERY_MS) and redis.call('ZCARD', WAITING) > 0 then
    -- An empty line has no polls to miss, and a sweep of it writes nothing.
    redis.call('HSET', BUCKET, 'heard_at', now)
  end
end
