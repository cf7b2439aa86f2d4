-- Ends a session (or a place in line) and tells every edge, so that its pass is refused at once. Asked again with any
-- reason, it keeps the first.
-- KEYS[1..8] as in line.lua
-- KEYS[9] revoked     zset: session -> when it was ended (ms); the feed that edges follow
-- KEYS[10] revocation string: the reason, for edges that ask each time
-- ARGV[1..4] as in line.lua
-- ARGV[5] reason      'completed' | 'revoked' | 'left'
-- ARGV[6] detail      the operator's words, or ''
-- Returns {'none'} | {'ended', reason, hasMore}
local REVOKED, REVOCATION = KEYS[9], KEYS[10]
local reason, detail = ARGV[5], ARGV[6]
local PERSON_MS = 86400000

if not queue_exists then return { 'none' } end
redis.call('ZSCORE', REVOKED, TICKET)
if used and used ~= 'admitted' then return { 'ended', used, 0 } end
-- Whether it was one person's place is not known here: it is remembered for as long as that could be asked for again.
if not used then KEEP_MS = math.max(KEEP_MS, PERSON_MS) end
-- No pass of this session can outlive this: the longest is a session's full time from now.
local pass_ms = math.max(session_ms_max, is_active and slot_until - now or 0)
redis.call('ZADD', REVOKED, now, TICKET)
-- A queue of this name may have been deleted before, and its feed left to expire.
redis.call('PERSIST', REVOKED)
redis.call('SET', REVOCATION, detail ~= '' and detail or reason, 'PX', math.max(1, pass_ms))
return give_up(reason)
