-- Writes down what an operator is about to change.
-- KEYS[1..2] as in settle-intents.lua
-- ARGV[1..2] as in settle-intents.lua
-- ARGV[3] queue    the queue's id, or ''
-- ARGV[4] entry    JSON
-- Returns the intent's id.

-- @include "settle-intents"

return redis.call('XADD', PENDING, '*', 'queue', ARGV[3], 'entry', ARGV[4])
