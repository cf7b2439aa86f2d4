-- Writes the board, if it is later than the stored one.
-- KEYS[1] board  v1:{prices}:board
-- ARGV: 1 revision, 2 body
-- Returns 1 when it was written, else 0.
local known = tonumber(redis.call('HGET', KEYS[1], 'revision') or '-1')
if known >= tonumber(ARGV[1]) then return 0 end
redis.call('HSET', KEYS[1], 'revision', ARGV[1], 'body', ARGV[2])
return 1
