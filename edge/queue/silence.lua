-- Tells an outage from people who left. When nobody at all was heard for a while, although several should have polled, the store
-- was away, and whoever was there before gets the time to come back: else whoever polls first would pass all others. It stands
-- behind bucket.lua, and in front of line.lua.
--
-- KEYS[3] beats   zset: ticket -> when its next poll is overdue (ms)
-- KEYS[4] active  zset: session -> when its slot returns (ms)
-- KEYS[5] ready   zset: ticket -> its order in the line
-- KEYS[6] bucket  hash: heard_at, silent_from, silent_to, back_by
-- ARGV: none of its own
-- Returns nothing by itself: the script that follows does.

local BEATS, ACTIVE = KEYS[3], KEYS[4]

-- Longer than a line with people in it is ever silent, and about as long as it takes until the first of them are overdue.
local SILENCE_MS = 2000
-- Fewer may have left together.
local MISSED_POLLS_MIN = 5
-- After an outage people are back within the pauses between their tries, which grow with its length.
local RETURN_MS_MIN = 3000
local RETURN_MS_MAX = 12000
-- A poll that was asked for after the outage is not overdue sooner than this: so one can tell it from those that were missed.
local LATE_MS = 1500
-- As often as it is written that somebody was heard.
local HEARD_EVERY_MS = 250

local heard_at = tonumber(stored[7]) or now
local silence = { from = tonumber(stored[8]) or 0, to = tonumber(stored[9]) or 0, back_by = tonumber(stored[10]) or 0 }

local function is_returning()
  return now >= silence.to and now < silence.back_by
end

-- Polls and claims that were due since then.
local function missed_since(at)
  local after = '(' .. string.format('%.0f', at)
  local claims = math.min(redis.call('ZCARD', READY), redis.call('ZCOUNT', ACTIVE, after, now))
  return redis.call('ZCOUNT', BEATS, after, now) + claims
end

if now - heard_at >= SILENCE_MS and missed_since(heard_at) >= MISSED_POLLS_MIN then
  -- Who had no time to come back from the outage before is still waited for.
  if not is_returning() then silence.from = heard_at end
  silence.to = now
  silence.back_by = now + math.max(RETURN_MS_MIN, math.min(RETURN_MS_MAX, now - heard_at))
  silence.is_new = true
end

-- Whether this moment, at which somebody was to be heard at the latest, fell into the outage that people come back from now.
local function is_forgiven(due)
  return is_returning() and due > silence.from and due < silence.to + LATE_MS
end

-- Where nobody waits nobody is missed, and a sweep of an empty line writes nothing.
local function is_line_empty()
  return redis.call('ZCARD', WAITING) + redis.call('ZCARD', READY) == 0
end

local function save_silence()
  local since = now - heard_at
  if silence.is_new then
    redis.call('HSET', BUCKET, 'heard_at', now, 'silent_from', silence.from, 'silent_to', silence.to, 'back_by', silence.back_by)
  elseif (not stored[7] or since < 0 or since >= HEARD_EVERY_MS) and not is_line_empty() then
    redis.call('HSET', BUCKET, 'heard_at', now)
  end
end
