-- References whose time is over.
-- $1 beforeMs
DELETE FROM order_references WHERE at < $1::bigint
