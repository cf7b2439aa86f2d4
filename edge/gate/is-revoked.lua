-- Asks whether a session or its pass was ended.
-- KEYS[1] session  string: the reason, while any pass of this session could still be used
-- KEYS[2] pass     string: the same for this one pass
-- ARGV: none
-- Returns 1 when one of them was, else 0.
return math.min(1, redis.call('EXISTS', KEYS[1], KEYS[2]))
