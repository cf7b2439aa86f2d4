-- Trades of a user below an id, newest first. Ids rise with the time, and the indexes are by user and time.
-- $1 user
-- $2 before
-- $3 limit
WITH place AS MATERIALIZED (
  SELECT executed_at AS at FROM trade_ledger WHERE trade_id < $2::bigint ORDER BY trade_id DESC LIMIT 1
),
found AS (
  (
    SELECT * FROM trade_ledger
    WHERE buy_user_id = $1 AND executed_at <= (SELECT at FROM place) AND trade_id < $2::bigint
    ORDER BY executed_at DESC, trade_id DESC LIMIT $3::integer
  )
  UNION ALL
  (
    SELECT * FROM trade_ledger
    WHERE sell_user_id = $1 AND executed_at <= (SELECT at FROM place) AND trade_id < $2::bigint
    ORDER BY executed_at DESC, trade_id DESC LIMIT $3::integer
  )
)
SELECT trade_id::text AS id, symbol AS pair, grid, round(extract(epoch FROM executed_at) * 1000)::bigint::text AS at,
  price::text AS price, qty::text AS qty, value::text AS value, taker_side AS "takerSide",
  buy_order_id::text AS "buyOrderId", sell_order_id::text AS "sellOrderId", buy_user_id AS "buyUser",
  sell_user_id AS "sellUser", buy_fee::text AS "buyFee", sell_fee::text AS "sellFee",
  auction
FROM found f ORDER BY f.trade_id DESC LIMIT $3::integer
