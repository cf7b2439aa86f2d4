-- How fast a line moves, from the fields of its bucket.
--
-- KEYS: none of its own
-- ARGV: none of its own
-- Returns nothing: the script that includes it does.

-- Events per second: the average, or less when the open span shows that it is no longer reached; 0 when nothing was
-- measured. SLACK adds a few events, because a pause is not yet a standstill. `average` and `count` are the two numbers
-- of a kind of event, `span` is the length of the open span so far (ms).
local SLACK = 3
local function measured(average, count, span)
  return span > 0 and math.min(average, (count + SLACK) * 1000 / span) or average
end

local function measured_rate(flow, now)
  local span = now - flow.rate_at
  local average = flow.rate
  if average == 0 and flow.rate_count > 0 then average = flow.rate_count * 1000 / math.max(span, 1000) end
  return measured(average, flow.rate_count, span)
end

-- The same for slots that come free.
local function freed_rate(flow, now)
  return measured(flow.freed, flow.freed_count, now - flow.rate_at)
end

-- The share of those in the line who enter when their turn comes, as far as that was measured; the others are found
-- gone.
local PRESENT_SHARE_MIN = 0.25
local function present_share(flow)
  if flow.pace == 0 then return 1 end
  return math.max(PRESENT_SHARE_MIN, math.min(1, flow.rate / flow.pace))
end

-- The inputs of an estimate, as integers: admissions and freed slots per 1,000 s, rounded up because 0 means unknown;
-- the share per thousand; and the time since the last admission (ms).
local function flow_facts(flow, now)
  return math.ceil(measured_rate(flow, now) * 1000), math.ceil(freed_rate(flow, now) * 1000),
    math.ceil(present_share(flow) * 1000), math.max(0, now - flow.admitted_at)
end

-- The same for a script that only reads: the fields as they are stored.
local FLOW_FIELDS = { 'rate', 'rate_at', 'rate_count', 'pace', 'admitted_at', 'freed', 'freed_count' }
local function stored_flow(values, now)
  return { rate = tonumber(values[1]) or 0, rate_at = tonumber(values[2]) or now, rate_count = tonumber(values[3]) or 0,
    pace = tonumber(values[4]) or 0, admitted_at = tonumber(values[5]) or 0, freed = tonumber(values[6]) or 0,
    freed_count = tonumber(values[7]) or 0 }
end
