-- Trades of a batch, one list per column.
-- $1 tradeIds
-- $2 sequences
-- $3 symbols
-- $4 buyUsers
-- $5 sellUsers
-- $6 buyOrderIds
-- $7 sellOrderIds
-- $8 takerSides
-- $9 prices
-- $10 qtys
-- $11 values
-- $12 buyFees
-- $13 sellFees
-- $14 atMs
-- $15 grids
INSERT INTO trade_ledger (
  trade_id, sequence, symbol, buy_user_id, sell_user_id, buy_order_id, sell_order_id, taker_side, price, qty, value, buy_fee, sell_fee, executed_at,
  grid
)
SELECT
  c1, c2, c3, c4, c5, c6, c7, c8, c9, c10, c11, c12, c13, to_timestamp(c14 / 1000), c15
FROM unnest(
  $1::bigint[], $2::bigint[], $3::text[], $4::text[], $5::text[], $6::bigint[], $7::bigint[], $8::text[], $9::numeric[], $10::numeric[],
  $11::numeric[], $12::numeric[], $13::numeric[], $14::float8[], $15::integer[]
) AS t (c1, c2, c3, c4, c5, c6, c7, c8, c9, c10, c11, c12, c13, c14, c15)
