-- Revokes an invite: from now on it gives no place.
-- KEYS[1] meta     hash: the queue's configuration
-- KEYS[2] invite   set: tickets that used the invite, and 'revoked'
-- ARGV[1] keepMs   how long any invite can still come
-- Returns 0 when there is no such queue, else 1
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
redis.call('SADD', KEYS[2], 'revoked')
redis.call('PEXPIRE', KEYS[2], tonumber(ARGV[1]))
return 1
