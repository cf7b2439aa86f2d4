-- Trades of an auction by id, without their owners.
-- $1 pair
-- $2 number
-- $3 after
-- $4 limit
-- $5 atMs
SELECT trade_id::text AS id, grid, price::text AS price, qty::text AS qty, value::text AS value,
  buy_order_id::text AS "buyOrderId", sell_order_id::text AS "sellOrderId",
  round(extract(epoch FROM executed_at) * 1000)::bigint::text AS at
FROM trade_ledger t
WHERE t.symbol = $1 AND t.auction = $2::integer AND t.trade_id > $3::bigint
  AND t.executed_at >= to_timestamp($5::float8 / 1000)
ORDER BY t.trade_id LIMIT $4::integer
