-- Makes the next append's id larger than that of a committed command, whatever Redis' clock says.
-- KEYS[1] commands  v1:{t0}:commands
-- ARGV: 1 the append's milliseconds, 2 its number within them
-- Returns 1 when the stream was behind it, else 0.
local commands = KEYS[1]
local ms, number = tonumber(ARGV[1]), tonumber(ARGV[2])
local id = ARGV[1] .. '-' .. ARGV[2]
if redis.call('EXISTS', commands) == 0 then
  redis.call('XADD', commands, id, 'n', '')
  redis.call('XDEL', commands, id)
  return 1
end
local facts = redis.call('XINFO', 'STREAM', commands)
local lastMs, lastNumber = 0, 0
for place = 1, #facts, 2 do
  if facts[place] == 'last-generated-id' then
    local first, second = string.match(facts[place + 1], '^(%d+)-(%d+)$')
    lastMs, lastNumber = tonumber(first), tonumber(second)
  end
end
if lastMs > ms or (lastMs == ms and lastNumber >= number) then return 0 end
redis.call('XSETID', commands, id)
return 1
