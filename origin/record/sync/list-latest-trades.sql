-- The newest trades, newest first.
-- $1 limit
SELECT trade_id::text AS id, symbol AS pair, grid, round(extract(epoch FROM executed_at) * 1000)::bigint::text AS at,
  price::text AS price, qty::text AS qty, value::text AS value, taker_side AS "takerSide",
  buy_order_id::text AS "buyOrderId", sell_order_id::text AS "sellOrderId", buy_user_id AS "buyUser",
  sell_user_id AS "sellUser", buy_fee::text AS "buyFee", sell_fee::text AS "sellFee",
  auction
FROM trade_ledger t ORDER BY t.trade_id DESC LIMIT $1::integer
