-- Deletes expired references.
-- $1 beforeMs
DELETE FROM order_references WHERE at < $1::bigint
