-- Trades by id, of entries up to a given one.
-- $1 afterTradeId
-- $2 upTo
-- $3 limit
SELECT trade_id::text AS "tradeId", sequence::text AS sequence, symbol, grid::text AS grid, buy_user_id AS "buyUser",
  sell_user_id AS "sellUser", buy_order_id::text AS "buyOrderId", sell_order_id::text AS "sellOrderId",
  taker_side AS "takerSide", price::text AS price, qty::text AS qty, value::text AS value, buy_fee::text AS "buyFee",
  sell_fee::text AS "sellFee", round(extract(epoch FROM executed_at) * 1000)::bigint::text AS "atMs",
  auction::text AS auction
FROM trade_ledger t WHERE t.trade_id > $1::bigint AND t.sequence <= $2::bigint ORDER BY t.trade_id LIMIT $3::integer
