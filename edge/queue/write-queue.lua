-- Writes a queue's whole configuration, if it is still the version that the writer has seen.
-- KEYS[1] meta     hash
-- ARGV[1] expected the version seen, 0 for a queue that must not exist yet, -1 for whatever is there
-- ARGV[2] fields   JSON object of texts
-- Returns the new version, or 0 when another version is there.
local expected = tonumber(ARGV[1])
local fields = cjson.decode(ARGV[2])
local version = tonumber(redis.call('HGET', KEYS[1], 'version')) or 0
if expected >= 0 and version ~= expected then return 0 end
local flat = { 'version', version + 1 }
for name, value in pairs(fields) do
  flat[#flat + 1] = name
  flat[#flat + 1] = value
end
redis.call('DEL', KEYS[1])
redis.call('HSET', KEYS[1], unpack(flat))
return version + 1
