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
  c1::bigint, c2::bigint, c3, c4, c5, c6::bigint, c7::bigint, c8, c9::numeric, c10::numeric, c11::numeric, c12::numeric, c13::numeric,
  to_timestamp(c14::float8 / 1000), c15::integer
FROM unnest(
  $1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[], $11::text[],
  $12::text[], $13::text[], $14::text[], $15::text[]
) AS t (c1, c2, c3, c4, c5, c6, c7, c8, c9, c10, c11, c12, c13, c14, c15)
