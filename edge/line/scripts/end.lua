-- Ends a session (or a place in line) and tells every edge, so that its pass is refused at once. Asked again with any
-- reason, it keeps the first.
-- KEYS[1..8] as in line.lua
-- KEYS[9] revoked     zset: session -> when it was ended (ms); the feed that edges follow
-- KEYS[10] revocation string: the reason, for edges that ask each time
-- KEYS[11] ban        string: there while the visitor of a revoked session may not join again
-- KEYS[12] session    hash: leaving_at
-- ARGV[1..4] as in line.lua
-- ARGV[5] reason      'completed' | 'revoked' | 'left'
-- ARGV[6] detail      the operator's words, or ''
-- ARGV[7] pastEndMs   how long past its end a pass can still be accepted
-- ARGV[8] leavingAt   end it only if a page of it was closed at this time (ms) and it sent no request since; '' to end
--                     it in any case
-- Returns {'none'} when there is no such queue, or nothing to end | {'ended', reason, hasMore}

-- @include "stand"

local REVOKED, REVOCATION, BAN, SESSION = KEYS[9], KEYS[10], KEYS[11], KEYS[12]
local reason, detail, past_end_ms = ARGV[5], ARGV[6], tonumber(ARGV[7])
-- As long as an open queue's passes live, which hold no slot (walk-in.ts).
local OPEN_PASS_MS = 60000
local PERSON_MS = 86400000

if not queue_exists then return { 'none' } end
redis.call('ZSCORE', REVOKED, TICKET)
local ban_ms = (tonumber(redis.call('HGET', META, 'ban_seconds')) or 0) * 1000
if ARGV[8] ~= '' and redis.call('HGET', SESSION, 'leaving_at') ~= ARGV[8] then return { 'none' } end
if used and used ~= 'admitted' then return { 'ended', used, 0 } end
-- No pass of this session can outlive this: the longest is a session's full time from now.
local pass_ms = math.max(OPEN_PASS_MS, session_ms_max, is_active and slot_until - now or 0) + past_end_ms
-- How it ended is known for as long as a pass of it can come, and a revocation for as long as a ban may last. Whether
-- it was one person's place is not known here: it is remembered for as long as that could be asked for again.
KEEP_MS = math.max(KEEP_MS, pass_ms, (reason == 'revoked' or not used) and PERSON_MS + past_end_ms or 0)
redis.call('ZADD', REVOKED, now, TICKET)
-- A queue of this name may have been deleted before, and its feed left to expire.
redis.call('PERSIST', REVOKED)
redis.call('SET', REVOCATION, detail ~= '' and detail or reason, 'PX', pass_ms)
if reason == 'revoked' and ban_ms > 0 then redis.call('SET', BAN, '1', 'PX', ban_ms) end
return give_up(reason)
