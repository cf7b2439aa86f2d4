-- Locks the account until the end of the transaction, so that two new keys are created one after the other.
-- $1 userId
SELECT 1 FROM users WHERE id = $1 FOR UPDATE
