-- Reads a queue's schedule: which phase it is in now, and which settings are in force. The including script has the
-- same first key and the same second argument.
--
-- KEYS[1] meta  hash: the queue's configuration
-- ARGV[2] now   milliseconds, or '' for the server's own clock; only a simulation passes one
-- Returns nothing: the script that includes it does.

local META = KEYS[1]

local now = tonumber(ARGV[2])
if not now then
  local time = redis.call('TIME')
  now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
end

local own = redis.call('HMGET', META, 'mode', 'max_active', 'admission_rate', 'admission_burst', 'session_ttl_seconds',
  'claim_seconds', 'heartbeat_ttl_seconds', 'max_queue_size', 'opens_at', 'closes_at', 'idle_seconds')
local mode = own[1]
local opens_at, closes_at = tonumber(own[9]), tonumber(own[10])

-- 'scheduled': places cannot be taken yet. 'prequeue': visitors take places and do not enter. 'open': the line moves.
-- 'over': no new places; visitors who have one still enter.
local phase, places_at, order_kind, draw_span = 'open', opens_at, 'fifo', nil
-- The event's own settings. Most queues have none, and skip this read.
local event, is_event = {}, false
if opens_at or closes_at then
  event = redis.call('HMGET', META, 'event_max_active', 'event_admission_rate', 'event_admission_burst',
    'event_session_ttl_seconds', 'prequeue_opens_at', 'order', 'draw_span')
  places_at, order_kind, draw_span = tonumber(event[5]) or opens_at, event[6], tonumber(event[7])
  if opens_at and now < opens_at then
    phase = now < places_at and 'scheduled' or 'prequeue'
  elseif closes_at and now >= closes_at then
    phase = 'over'
  else
    is_event = opens_at and true or false
  end
end
local is_before_opening = phase == 'scheduled' or phase == 'prequeue'

local max_active = is_event and tonumber(event[1]) or tonumber(own[2])
local rate = is_event and tonumber(event[2]) or tonumber(own[3])
local burst = is_event and tonumber(event[3]) or tonumber(own[4])
local session_ms = (is_event and tonumber(event[4]) or tonumber(own[5]) or 0) * 1000
-- A session without a request for this long ends; 0 for never.
local idle_ms = (tonumber(own[11]) or 0) * 1000
-- The longest that a session of this queue may have been given.
local session_ms_max = math.max(tonumber(own[5]) or 0, tonumber(event[4]) or 0) * 1000
