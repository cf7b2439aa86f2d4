-- Writes the copy of the venue's settings, if it is later than the stored one.
-- KEYS[1] system  config:system
-- ARGV: 1 revision, 2 maintenance_mode, 3 maintenance_message, 4 max_open_orders, 5 min_volume_filter
-- Returns 1 when it was written, else 0.
local known = tonumber(redis.call('HGET', KEYS[1], 'revision') or '0')
if known >= tonumber(ARGV[1]) then return 0 end
redis.call('HSET', KEYS[1], 'revision', ARGV[1], 'maintenance_mode', ARGV[2], 'maintenance_message', ARGV[3],
  'max_open_orders', ARGV[4], 'min_volume_filter', ARGV[5])
return 1
