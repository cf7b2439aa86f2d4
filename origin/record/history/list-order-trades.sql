-- Trades of one order, oldest first, searched among a bounded number of the owner's latest trades in the lifetime of
-- the order.
-- $1 user
-- $2 orderId
-- $3 side
-- $4 fromMs
-- $5 toMs
-- $6 lookedAtMax
WITH found AS (
  (
    SELECT * FROM trade_ledger
    WHERE $3 = 'buy' AND buy_user_id = $1
      AND executed_at BETWEEN to_timestamp($4::float8 / 1000) AND to_timestamp($5::float8 / 1000)
    ORDER BY executed_at DESC LIMIT $6::integer
  )
  UNION ALL
  (
    SELECT * FROM trade_ledger
    WHERE $3 = 'sell' AND sell_user_id = $1
      AND executed_at BETWEEN to_timestamp($4::float8 / 1000) AND to_timestamp($5::float8 / 1000)
    ORDER BY executed_at DESC LIMIT $6::integer
  )
)
SELECT trade_id::text AS id, symbol AS pair, grid, round(extract(epoch FROM executed_at) * 1000)::bigint::text AS at,
  price::text AS price, qty::text AS qty, value::text AS value, taker_side AS "takerSide",
  buy_order_id::text AS "buyOrderId", sell_order_id::text AS "sellOrderId", buy_user_id AS "buyUser",
  sell_user_id AS "sellUser", buy_fee::text AS "buyFee", sell_fee::text AS "sellFee",
  auction
FROM found f WHERE $2::bigint = CASE $3 WHEN 'buy' THEN f.buy_order_id ELSE f.sell_order_id END ORDER BY f.trade_id
