-- Replaces the whole table of routes, if every queue it names is there and the table is still the one that was seen.
-- KEYS[1] queues   set: queue ids
-- KEYS[2] routes   string: JSON array of routes
-- KEYS[3] audit    stream: what operators did
-- ARGV[1] table    the new JSON array
-- ARGV[2] ids      JSON array of the queue ids that must be there
-- ARGV[3] seen     the version that was seen
-- ARGV[4] entry    JSON of this change for the audit log, or '' for none
-- ARGV[5] keep     how many entries the audit log keeps at least
-- Returns {'replaced', version} | {'conflict'} | {'unknown', id, id, …}
local QUEUES, ROUTES, AUDIT = KEYS[1], KEYS[2], KEYS[3]
local new_table, ids, seen, entry, keep = ARGV[1], cjson.decode(ARGV[2]), ARGV[3], ARGV[4], tonumber(ARGV[5])
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)

local current = redis.call('GET', ROUTES) or ''
if redis.sha1hex(current) ~= seen then return { 'conflict' } end
local answer = { 'unknown' }
for _, id in ipairs(ids) do
  if redis.call('SISMEMBER', QUEUES, id) == 0 then answer[#answer + 1] = id end
end
if #answer > 1 then return answer end
if entry ~= '' then
  redis.call('XADD', AUDIT, 'MAXLEN', '~', keep, '*', 'at', now, 'outcome', 'done', 'queue', '', 'entry', entry)
end
redis.call('SET', ROUTES, new_table)
return { 'replaced', redis.sha1hex(new_table) }
