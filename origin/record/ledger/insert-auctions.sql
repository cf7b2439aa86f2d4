-- The result of an auction.
-- $1 pair
-- $2 number
-- $3 grid
-- $4 sequence
-- $5 rungAt
-- $6 referenceTicks
-- $7 orders
-- $8 ticks
-- $9 lots
-- $10 firstTradeId
-- $11 trades
INSERT INTO auctions (
  pair, number, grid, sequence, rung_at, reference_ticks, orders, ticks, lots, first_trade_id, trades
)
VALUES (
  $1, $2::integer, $3::integer, $4::bigint, $5::bigint, $6::bigint, $7::integer, $8::bigint, $9::numeric, $10::bigint,
  $11::integer
)
