-- A request that carries a good signature: is its key still what we took it for, and is it the first with this signature?
-- KEYS: 1 apikey:{id}, 2 apikey:{id}:seen:<signature>
-- ARGV: 1 the revision that we know, 2 ms to remember the signature
-- Returns 'fresh', 'replayed', or 'changed' when the key is another or gone.
if redis.call('HGET', KEYS[1], 'revision') ~= ARGV[1] then return 'changed' end
if redis.call('SET', KEYS[2], '1', 'NX', 'PX', ARGV[2]) then return 'fresh' end
return 'replayed'
