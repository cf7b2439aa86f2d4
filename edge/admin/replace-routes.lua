-- Replaces the whole table of routes, if every queue it names is there and the table is still the one that was seen.
-- KEYS[1] queues   set: queue ids
-- KEYS[2] routes   string: JSON array of routes
-- ARGV[1] table    the new JSON array
-- ARGV[2] ids      JSON array of the queue ids that must be there
-- ARGV[3] seen     the version that was seen, or '' for whatever is there
-- Returns {'replaced', version} | {'conflict'} | {'unknown', id, id, …}
local QUEUES, ROUTES = KEYS[1], KEYS[2]
local new_table, ids, seen = ARGV[1], cjson.decode(ARGV[2]), ARGV[3]

local current = redis.call('GET', ROUTES) or ''
if seen ~= '' and redis.sha1hex(current) ~= seen then return { 'conflict' } end
local answer = { 'unknown' }
for _, id in ipairs(ids) do
  if redis.call('SISMEMBER', QUEUES, id) == 0 then answer[#answer + 1] = id end
end
if #answer > 1 then return answer end
redis.call('SET', ROUTES, new_table)
return { 'replaced', redis.sha1hex(new_table) }
