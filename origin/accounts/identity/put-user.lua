-- Writes the copy of an account, unless a later one is stored already: copies never go back in time.
-- KEYS[1] user  user:<id>
-- ARGV: 1 revision, 2 id, 3 username, 4 email, 5 password_hash, 6 role, 7 status, 8 created_at, 9 updated_at, 10
-- last_login_at or ''
-- Returns the time now, in milliseconds since 1970.
local user = KEYS[1]
local revision = tonumber(ARGV[1])
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local known = tonumber(redis.call('HGET', user, 'revision') or '0')
if known > revision then return now end
redis.call('HSET', user, 'revision', ARGV[1], 'id', ARGV[2], 'username', ARGV[3], 'email', ARGV[4],
  'password_hash', ARGV[5], 'role', ARGV[6], 'status', ARGV[7], 'created_at', ARGV[8], 'updated_at', ARGV[9],
  'last_login_at', ARGV[10])
return now
