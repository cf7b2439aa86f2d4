-- Reads one page of the log, newest first.
-- KEYS[1..2] as in settle-intents.lua
-- ARGV[1..2] as in settle-intents.lua
-- ARGV[3] before   the last entry of the page before, or '' for the first page
-- ARGV[4] limit    how many at most
-- ARGV[5] queue    only entries of this queue, or '' for all
-- Returns {cursor, or '' on the last page, id, at, outcome, entry, id, at, outcome, entry, …}

-- @include "settle-intents"

local before, limit, queue = ARGV[3], tonumber(ARGV[4]), ARGV[5]
-- A queue that was changed rarely is found page by page: one call looks at so many entries and no more.
local LOOKED_AT_MAX = 1000
local CHUNK = 200

local answer = { before }
local looked_at, found = 0, 0
while looked_at < LOOKED_AT_MAX do
  local upper = answer[1] == '' and '+' or '(' .. answer[1]
  local chunk = redis.call('XREVRANGE', LOG, upper, '-', 'COUNT', CHUNK)
  for _, stored in ipairs(chunk) do
    if found == limit then return answer end
    local id, fields = stored[1], {}
    for index = 1, #stored[2], 2 do fields[stored[2][index]] = stored[2][index + 1] end
    if queue == '' or fields.queue == queue then
      found = found + 1
      for _, text in ipairs({ id, fields.at, fields.outcome, fields.entry }) do answer[#answer + 1] = text end
    end
    answer[1], looked_at = id, looked_at + 1
  end
  if #chunk < CHUNK then
    answer[1] = ''
    return answer
  end
end
return answer
