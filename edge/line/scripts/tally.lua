-- The line's statistics: arrivals and how each wait ended, waiting times, occupancy. The steps of line.lua and
-- stand.lua note events; a call that changes no place writes nothing here and allocates as little as possible. Totals
-- only grow. When the first change of a new minute or hour comes, what was counted in the one before goes to its place
-- in a ring of fields, so that every change is counted in the minute in which Redis made it.
--
-- KEYS[8] stats    hash: totals, waits by length, the open minute and hour, and the rings m0…m179 and h0…h23
-- ARGV: none of its own
-- Returns nothing: the script that includes it does.

-- Nil until something is noted.
local tally

-- Notes an event: 'enqueued' or 'returned' for a visitor who came into the line, for the first time or to the place
-- that the ticket kept; 'admitted', 'expired' (stopped polling) or 'left' for a visitor whose wait is over, with its
-- length; or none of these, when slots were given or returned. Visitors who gave up count with their time too, because
-- the waits of admitted visitors look better than the line was.
local function note(how, wait_ms)
  tally = tally or { enqueued = 0, returned = 0, admitted = 0, expired = 0, left = 0, wait_ms = 0,
    gave_up_ms = 0, waits = {} }
  if not how then return end
  tally[how] = tally[how] + 1
  if not wait_ms then return end
  -- Waits fall into a fixed number of buckets: 0 for those who walked straight in, 1 up to 250 ms, and from there on
  -- four to each doubling, so that a percentile is never more than a fifth off. The last is for all longer than a day.
  local wait, bucket = math.max(0, wait_ms), 0
  if wait > 0 then
    -- A wait of exactly a bucket's end belongs into it, whatever the last digit of the logarithm says.
    bucket = math.min(75, 1 + math.max(0, math.ceil(math.log(wait / 250) / math.log(2) * 4 - 1e-9)))
  end
  local field = (how == 'admitted' and 'wait:' or 'gave_up:') .. bucket
  tally.waits[field] = (tally.waits[field] or 0) + 1
  tally.wait_ms = tally.wait_ms + wait
  if how ~= 'admitted' then tally.gave_up_ms = tally.gave_up_ms + wait end
end

-- Writes down what this call has noted, with how many wait and how many slots are taken now. A damaged
-- hash does not stop the line: it runs without statistics.
local function save_tally(now, waiting, active)
  local STATS = KEYS[8]
  local WAIT_BUCKETS = 76

  local function join_numbers(numbers)
    local texts = {}
    for index, number in ipairs(numbers) do texts[index] = string.format('%.0f', number) end
    return table.concat(texts, ' ')
  end

  -- Puts a minute or an hour that is over into its ring. Its counts are the difference to the totals at its beginning.
  local function close_span(span, slot)
    local fields = { 'total_enqueued', 'total_admitted', 'total_expired', 'total_left', 'wait_ms_sum' }
    for bucket = 0, span.buckets - 1 do
      fields[#fields + 1] = 'wait:' .. bucket
      fields[#fields + 1] = 'gave_up:' .. bucket
    end
    local totals = redis.call('HMGET', STATS, unpack(fields))
    local base = {}
    local stored_base = redis.call('HGET', STATS, span.base) or ''
    for number in string.gmatch(stored_base, '%d+') do base[#base + 1] = tonumber(number) end
    for index, total in ipairs(totals) do
      totals[index] = tonumber(total) or 0
      slot[#slot + 1] = totals[index] - (base[index] or 0)
    end
    local place = span.prefix .. slot[1] % span.kept
    redis.call('HSET', STATS, place, join_numbers(slot), span.base, join_numbers(totals))
  end

  local stored = redis.pcall('HMGET', STATS, 'minute', 'minute_peak_queue_size', 'minute_peak_active', 'hour',
    'hour_peak_queue_size', 'hour_peak_active', 'waiting', 'active', 'total_enqueued', 'total_returned',
    'total_admitted', 'total_expired', 'total_left', 'wait_ms_sum', 'gave_up_ms_sum')
  if stored.err then return end
  for index = 1, 15 do stored[index] = tonumber(stored[index]) or 0 end
  local waited_before, held_before = stored[7], stored[8]

  -- Only what has changed is written: a join changes two or three of these.
  local changes = {}
  local function put(field, before, after)
    if before == after then return end
    changes[#changes + 1] = field
    changes[#changes + 1] = string.format('%.0f', after)
  end

  local function turn_span(name, at, span)
    local open, peak_waiting, peak_active = stored[at], stored[at + 1], stored[at + 2]
    local number, floor_waiting, floor_active = math.floor(now / span.ms), peak_waiting, peak_active
    -- A clock that was set back a little stays in the open span; one that was far off begins a new one.
    if number > open or number < open - span.kept then
      if open > 0 then close_span(span, { open, peak_waiting, peak_active, waited_before, held_before }) end
      put(name, open, number)
      floor_waiting, floor_active = waited_before, held_before
    end
    put(span.peak_waiting, peak_waiting, math.max(floor_waiting, waiting))
    put(span.peak_active, peak_active, math.max(floor_active, active))
  end

  turn_span('minute', 1, { ms = 60000, kept = 180, prefix = 'm', base = 'minute_base', buckets = 0,
    peak_waiting = 'minute_peak_queue_size', peak_active = 'minute_peak_active' })
  turn_span('hour', 4, { ms = 3600000, kept = 24, prefix = 'h', base = 'hour_base', buckets = WAIT_BUCKETS,
    peak_waiting = 'hour_peak_queue_size', peak_active = 'hour_peak_active' })
  put('waiting', waited_before, waiting)
  put('active', held_before, active)
  put('total_enqueued', stored[9], stored[9] + tally.enqueued)
  put('total_returned', stored[10], stored[10] + tally.returned)
  put('total_admitted', stored[11], stored[11] + tally.admitted)
  put('total_expired', stored[12], stored[12] + tally.expired)
  put('total_left', stored[13], stored[13] + tally.left)
  put('wait_ms_sum', stored[14], stored[14] + tally.wait_ms)
  put('gave_up_ms_sum', stored[15], stored[15] + tally.gave_up_ms)
  if #changes > 0 then redis.call('HSET', STATS, unpack(changes)) end
  for field, count in pairs(tally.waits) do redis.call('HINCRBY', STATS, field, count) end
end
