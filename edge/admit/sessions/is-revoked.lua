-- Checks whether a session, its pass, or all passes of its time were revoked.
-- KEYS[1] session  string: the reason, while any pass of this session could still be used
-- KEYS[2] pass     string: the same for this one pass
-- KEYS[3] all      string: every pass from before that moment (ms) was ended
-- ARGV[1] issuedAt when the pass was signed (ms)
-- Returns 1 when it was, else 0.
local issued_at = tonumber(ARGV[1])
local all_until = tonumber(redis.call('GET', KEYS[3]) or '')
if all_until and issued_at <= all_until then return 1 end
return math.min(1, redis.call('EXISTS', KEYS[1], KEYS[2]))
