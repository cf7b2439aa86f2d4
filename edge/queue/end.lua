-- Ends a session (or a place in line) and tells every edge, so that its pass is refused at once. Asked again with any
-- reason, it keeps the first.
-- KEYS[1..7] as in line.lua
-- KEYS[8] revoked     zset: session -> when it was ended (ms); the feed that edges follow
-- KEYS[9] revocation  string: the reason, for edges that ask each time
-- ARGV[1..4] as in line.lua
-- ARGV[5] reason      'completed' | 'revoked' | 'left'
-- ARGV[6] detail      the operator's words, or ''
-- Returns {'none'} | {'ended', reason, hasMore}
local REVOKED, REVOCATION = KEYS[8], KEYS[9]
local reason, detail = ARGV[5], ARGV[6]

if not queue_exists then return { 'none' } end
redis.call('ZSCORE', REVOKED, TICKET)
if used and used ~= 'admitted' then return { 'ended', used, 0 } end
-- No pass of this session can outlive this: the longest is the session's full time from now.
local pass_ms = math.max(session_ms, is_active and slot_until - now or 0)
redis.call('ZADD', REVOKED, now, TICKET)
redis.call('SET', REVOCATION, detail ~= '' and detail or reason, 'PX', math.max(1, pass_ms))
return give_up(reason)
