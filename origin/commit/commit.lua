-- Commits one batch in one step: the journal entry and the offset, if the writer still leads and the journal ends where
-- it expects.
-- KEYS[1] fence    v1:{t0}:fence
-- KEYS[2] offset   v1:{t0}:offset
-- KEYS[3] journal  v1:{t0}:stream:executions
-- ARGV: 1 the writer's epoch, 2 sequence before, 3 sequence of this entry, 4 hash before, 5 hash of this entry, 6 last
-- command, 7 body
-- Returns "committed", "deposed" or "elsewhere".
local fence, offset, journal = KEYS[1], KEYS[2], KEYS[3]
local epoch, before, sequence = ARGV[1], ARGV[2], ARGV[3]
local id = sequence .. '-0'
if redis.call('HGET', fence, 'epoch') ~= epoch then return 'deposed' end
if (redis.call('HGET', offset, 'sequence') or '0') ~= before then return 'elsewhere' end
redis.call('XADD', journal, id, 'p', ARGV[4], 'h', ARGV[5], 'c', ARGV[6], 'b', ARGV[7])
redis.call('HSET', offset, 'sequence', sequence, 'command', ARGV[6], 'hash', ARGV[5])
return 'committed'
