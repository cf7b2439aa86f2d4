-- Trades of a batch, one array per column.
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
-- $16 auctions
INSERT INTO trade_ledger (
  trade_id, sequence, symbol, buy_user_id, sell_user_id, buy_order_id, sell_order_id, taker_side, price, qty, value,
  buy_fee, sell_fee, executed_at, grid, auction
)
SELECT unnest($1::bigint[]), unnest($2::bigint[]), unnest($3::text[]), unnest($4::text[]), unnest($5::text[]),
  unnest($6::bigint[]), unnest($7::bigint[]), unnest($8::text[]), unnest($9::numeric[]), unnest($10::numeric[]),
  unnest($11::numeric[]), unnest($12::numeric[]), unnest($13::numeric[]), to_timestamp(unnest($14::float8[]) / 1000),
  unnest($15::integer[]), unnest($16::integer[])
