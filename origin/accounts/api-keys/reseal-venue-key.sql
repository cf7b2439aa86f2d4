-- The same pair, sealed with the active key, unless another process was first.
-- $1 id
-- $2 sealedBefore
-- $3 sealedAfter
UPDATE venue_keys SET sealed_pair = $3 WHERE id = $1 AND sealed_pair = $2
