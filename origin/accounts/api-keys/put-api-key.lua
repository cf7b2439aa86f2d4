-- Writes the copy of an API key, unless a later one is stored. A revoked one stays for a day, so that no late copy
-- revives it.
-- KEYS[1] key  apikey:{id}
-- ARGV: 1 revision, 2 id, 3 user_id, 4 encrypted_secret, 5 permissions, 6 cidrs, 7 expires_at or '', 8 is_active
-- Returns 1 when it was written, 0 when a later one was there.
local key = KEYS[1]
local known = tonumber(redis.call('HGET', key, 'revision') or '0')
if known > tonumber(ARGV[1]) then return 0 end
redis.call('HSET', key, 'revision', ARGV[1], 'id', ARGV[2], 'user_id', ARGV[3], 'encrypted_secret', ARGV[4],
  'permissions', ARGV[5], 'cidrs', ARGV[6], 'expires_at', ARGV[7], 'is_active', ARGV[8])
if ARGV[8] == 'false' then
  redis.call('HDEL', key, 'encrypted_secret')
  redis.call('EXPIRE', key, 86400)
end
return 1
