-- A page of the orders that took part in an auction.
-- $1 pair
-- $2 number
-- $3 first
-- $4 grid
-- $5 sequence
-- $6 orders
INSERT INTO auction_orders (pair, number, first, grid, sequence, orders)
VALUES ($1, $2::integer, $3::integer, $4::integer, $5::bigint, $6)
