-- Changes which queues there are, or which addresses lead to them.
-- KEYS[1] queues   set: queue ids
-- KEYS[2] routes   string: JSON array of routes
-- ARGV[1] verb     'add' | 'remove' | 'route'
-- ARGV[2] value    a queue id, or the routes
-- ARGV[3] limit    how many queues there may be
-- Returns 1 when done, 0 when there are too many queues.
local verb, value, limit = ARGV[1], ARGV[2], tonumber(ARGV[3])
if verb == 'add' then
  if redis.call('SISMEMBER', KEYS[1], value) == 0 and redis.call('SCARD', KEYS[1]) >= limit then return 0 end
  redis.call('SADD', KEYS[1], value)
elseif verb == 'remove' then
  redis.call('SREM', KEYS[1], value)
else
  redis.call('SET', KEYS[2], value)
end
return 1
