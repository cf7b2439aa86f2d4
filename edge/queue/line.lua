-- What the scripts of the line share: the state of one queue, read once, and the steps that change it.
-- It stands in front of enter, beat, leave, end and sweep, which are given the same first seven keys.
--
-- KEYS[1] meta     hash: the queue's configuration
-- KEYS[2] waiting  zset: ticket -> order in the line (lane first, then sequence)
-- KEYS[3] beats    zset: ticket -> when its next poll is overdue (ms)
-- KEYS[4] active   zset: session -> when its slot returns (ms); reserved and admitted slots alike
-- KEYS[5] ready    zset: ticket -> its order in the line; those in active who have not walked in yet
-- KEYS[6] bucket   hash: tokens, pace, refilled_at, sequence, rate, rate_at, rate_count
-- KEYS[7] used     string: how this ticket was used up, kept as long as the ticket could come back
-- ARGV[1] ticket   the ticket's id, which is also the id of its session
-- ARGV[2] now      milliseconds, or '' for the server's own clock; only a simulation passes one
-- ARGV[3] jitter   0 to 1, spreads the polls
-- ARGV[4] keepMs   how long any ticket of this visitor can still come back
-- Returns nothing by itself: the script that follows does.

local META, WAITING, BEATS, ACTIVE, READY, BUCKET, USED = unpack(KEYS, 1, 7)
local TICKET, JITTER, KEEP_MS = ARGV[1], tonumber(ARGV[3]), tonumber(ARGV[4])

-- Bounds on the work of one call, so that no visitor's poll holds up the others.
local PROMOTIONS_MAX = 64
local HEADS_MAX = 192
local LAPSED_MAX = 64

local POLL_MS_MIN = 1000
local POLL_MS_MAX = 20000
-- A poll comes well inside the claim window, so that nobody who polls as asked finds a reservation lapsed.
local POLL_SHARE_OF_CLAIM = 0.6
-- A whole line together polls no faster than this; only those about to go in may.
local POLLS_PER_SECOND_MAX = 1000
-- How late a poll may be before its visitor is passed over.
local LATE_MS = 2000
-- Lanes are apart by more than any sequence can grow, and the sum stays exact in a double.
local LANE_SPAN = 2 ^ 50

local now = tonumber(ARGV[2])
if not now then
  local time = redis.call('TIME')
  now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
end

-- As the lower end of a range of scores: strictly later than now.
local AFTER_NOW = '(' .. now

local settings = redis.call('HMGET', META, 'mode', 'max_active', 'admission_rate', 'admission_burst', 'session_ttl_seconds',
  'claim_seconds', 'heartbeat_ttl_seconds', 'max_queue_size')
local mode = settings[1]
local max_active = tonumber(settings[2])
local rate = tonumber(settings[3])
local burst = tonumber(settings[4])
local session_ms = (tonumber(settings[5]) or 0) * 1000
local claim_ms = (tonumber(settings[6]) or 0) * 1000
local heartbeat_ms = (tonumber(settings[7]) or 0) * 1000
local max_queue_size = tonumber(settings[8])

-- Every key is read before the first write, so that a wrong type under one of them changes nothing.
local used = redis.call('GET', USED)
local slot_until = tonumber(redis.call('ZSCORE', ACTIVE, TICKET))
local ready_order = tonumber(redis.call('ZSCORE', READY, TICKET))
local place = tonumber(redis.call('ZSCORE', WAITING, TICKET))
redis.call('ZSCORE', BEATS, TICKET)
-- A slot or reservation is alive strictly before its time: what counts as free for others can never be revived.
local is_active = slot_until and slot_until > now
local is_reserved = is_active and ready_order
local stored = redis.call('HMGET', BUCKET, 'tokens', 'pace', 'refilled_at', 'sequence', 'rate', 'rate_at', 'rate_count')

local queue_exists = mode and true or false
-- In any other mode nobody goes in, not even with a reservation.
local is_moving = mode == 'active' or mode == 'drain'
local poll_ms_max = math.min(POLL_MS_MAX, claim_ms * POLL_SHARE_OF_CLAIM)

-- Two buckets with one rate and one burst. `tokens` pays for a reservation, in strict order of the line; `pace` pays
-- for walking in, so that people who were told "your turn" at different times and come together still come no faster.
local bucket
local function refill()
  local refilled_at = tonumber(stored[3]) or now
  local earned = math.max(0, now - refilled_at) * rate / 1000
  bucket = {
    tokens = math.min(burst, (tonumber(stored[1]) or burst) + earned),
    pace = math.min(burst, (tonumber(stored[2]) or burst) + earned),
    sequence = tonumber(stored[4]) or 0,
    rate = tonumber(stored[5]) or 0,
    rate_at = tonumber(stored[6]) or now,
    rate_count = tonumber(stored[7]) or 0,
  }
end

-- The measured rate is a moving average over spans of at least two seconds in which people waited: an empty line
-- says nothing about how fast a full one moves.
local RATE_SPAN_MS = 2000
local RATE_WEIGHT = 0.3
local function measure_rate()
  local span = now - bucket.rate_at
  if span < RATE_SPAN_MS then return end
  if redis.call('ZCARD', WAITING) == 0 then
    bucket.rate_at, bucket.rate_count = now, 0
    return
  end
  local measured = bucket.rate_count * 1000 / span
  bucket.rate = bucket.rate > 0 and (bucket.rate * (1 - RATE_WEIGHT) + measured * RATE_WEIGHT) or measured
  bucket.rate_at, bucket.rate_count = now, 0
end

local function save_bucket()
  measure_rate()
  redis.call('HSET', BUCKET, 'tokens', string.format('%.9f', bucket.tokens), 'pace', string.format('%.9f', bucket.pace),
    'refilled_at', now, 'sequence', bucket.sequence, 'rate', string.format('%.6f', bucket.rate),
    'rate_at', bucket.rate_at, 'rate_count', bucket.rate_count)
end

local function give_back(count)
  bucket.tokens = math.min(burst, bucket.tokens + count)
end

-- Slots whose time is over return. An unclaimed reservation also gives its token back: nobody walked in for it.
local function return_lapsed(limit)
  local lapsed = redis.call('ZRANGEBYSCORE', ACTIVE, '-inf', now, 'LIMIT', 0, limit)
  if #lapsed == 0 then return false end
  redis.call('ZREM', ACTIVE, unpack(lapsed))
  give_back(redis.call('ZREM', READY, unpack(lapsed)))
  return #lapsed == limit
end

local function reserve(ticket, order)
  redis.call('ZREM', WAITING, ticket)
  redis.call('ZREM', BEATS, ticket)
  redis.call('ZADD', READY, order, ticket)
  redis.call('ZADD', ACTIVE, now + claim_ms, ticket)
  bucket.tokens = bucket.tokens - 1
  if ticket == TICKET then is_reserved = true end
end

local function first_in_line(count)
  local tickets, orders = {}, {}
  local flat = redis.call('ZRANGE', WAITING, 0, count - 1, 'WITHSCORES')
  for index = 1, #flat, 2 do
    tickets[#tickets + 1], orders[#orders + 1] = flat[index], flat[index + 1]
  end
  return tickets, orders
end

-- Gives free slots to the first of the line who are still there. Those at the head whose poll is overdue leave Redis:
-- their signed ticket keeps their place. Returns true when there is more to do than one call may.
local function promote(heads_max)
  if not is_moving then return false end
  local free = math.min(max_active - redis.call('ZCOUNT', ACTIVE, AFTER_NOW, '+inf'), math.floor(bucket.tokens), PROMOTIONS_MAX)
  if free <= 0 then return false end
  local heads, orders = first_in_line(heads_max)
  if #heads == 0 then return false end
  local due = redis.call('ZMSCORE', BEATS, unpack(heads))
  local gone = {}
  for index, ticket in ipairs(heads) do
    if free == 0 then break end
    if due[index] and tonumber(due[index]) >= now then
      reserve(ticket, orders[index])
      free = free - 1
    else
      gone[#gone + 1] = ticket
    end
  end
  if #gone > 0 then
    redis.call('ZREM', WAITING, unpack(gone))
    redis.call('ZREM', BEATS, unpack(gone))
  end
  return free > 0 and #heads == heads_max
end

-- The answer to a ticket that was used up before: its session if that still runs, else how it ended.
local function answer_used()
  if is_active then return { 'admitted', slot_until, 0 } end
  return { 'ended', used == 'admitted' and 'expired' or used }
end

-- Walks in: the reservation becomes a session, and the ticket is used up.
local function admit()
  local expires_at = now + session_ms
  redis.call('ZREM', READY, TICKET)
  redis.call('ZADD', ACTIVE, expires_at, TICKET)
  redis.call('SET', USED, 'admitted', 'PX', KEEP_MS)
  bucket.pace = bucket.pace - 1
  bucket.rate_count = bucket.rate_count + 1
  return { 'admitted', expires_at, 1 }
end

local function poll_after(position, total)
  local speed = bucket.rate > 0 and math.min(bucket.rate, rate) or rate
  local wait_ms = speed > 0 and position * 1000 / speed or POLL_MS_MAX * 4
  local interval = math.max(POLL_MS_MIN, math.min(poll_ms_max, wait_ms / 4))
  interval = math.max(interval, math.min(wait_ms / 2, total * 1000 / POLLS_PER_SECOND_MAX))
  return math.floor(interval * (0.85 + 0.3 * JITTER))
end

-- Rate as thousandths, because Redis cuts numbers in replies to integers.
local function answer_waiting(position, total, order, interval, has_more)
  return { 'waiting', position, total, order, interval, math.floor(bucket.rate * 1000), has_more and 1 or 0 }
end

-- Somebody in the line has polled: the next poll is due a little after it was told to come.
local function wait_on(order, has_more)
  local total = redis.call('ZCARD', WAITING)
  local position = redis.call('ZRANK', WAITING, TICKET) + 1
  local interval = poll_after(position, total)
  redis.call('ZADD', BEATS, now + interval + LATE_MS + math.floor(interval / 4), TICKET)
  return answer_waiting(position, total, order, interval, has_more)
end

-- A reserved visitor who polls walks in, or is told when the pace allows it; the reservation waits for that long.
local function claim(order, has_more)
  if is_moving and bucket.pace >= 1 then return admit() end
  redis.call('ZADD', ACTIVE, now + claim_ms, TICKET)
  local interval = is_moving and math.min(poll_ms_max, (1 - bucket.pace) * 1000 / rate) or poll_ms_max
  return answer_waiting(1, redis.call('ZCARD', WAITING) + 1, order, math.ceil(interval + JITTER * 50), has_more)
end

-- The body of a join and of a poll: stand at this place, move the line on, then walk in or wait.
local function stand_at(order)
  local has_lapsed = return_lapsed(LAPSED_MAX)
  if not is_reserved then
    -- A reservation of ours that lapsed may still lie there when more lapsed than one call returns.
    if ready_order and redis.call('ZREM', READY, TICKET) == 1 then
      redis.call('ZREM', ACTIVE, TICKET)
      give_back(1)
    end
    redis.call('ZADD', WAITING, order, TICKET)
    redis.call('ZADD', BEATS, now + LATE_MS, TICKET)
  end
  local has_more = promote(HEADS_MAX) or has_lapsed
  local answer = is_reserved and claim(order, has_more) or wait_on(order, has_more)
  save_bucket()
  return answer
end

-- Gives up place, reservation or session for good, and lets the next ones move up.
local function give_up(reason)
  refill()
  if ready_order then give_back(1) end
  redis.call('ZREM', WAITING, TICKET)
  redis.call('ZREM', BEATS, TICKET)
  redis.call('ZREM', READY, TICKET)
  redis.call('ZREM', ACTIVE, TICKET)
  redis.call('SET', USED, reason, 'PX', KEEP_MS)
  local has_lapsed = return_lapsed(LAPSED_MAX)
  local has_more = promote(HEADS_MAX) or has_lapsed
  save_bucket()
  return { 'ended', reason, has_more and 1 or 0 }
end
