-- Orders that ended before a time, some of them. Without an order inside, so that the index on the time of making is used.
-- $1 beforeMs
-- $2 limit
WITH old AS MATERIALIZED (
  SELECT * FROM orders WHERE created_at < $1::bigint AND updated_at < $1::bigint AND status IN ('filled', 'cancelled') LIMIT $2::integer
)
SELECT id::text AS id, user_id AS "user", pair, grid, side, type, time_in_force AS "timeInForce", post_only AS "postOnly", ticks::text AS ticks,
  lots::text AS lots, quote_amount::text AS "quoteAmount", filled_lots::text AS "filledLots", filled_value::text AS "filledValue",
  fee_paid::text AS "feePaid", status, cancel_reason AS "cancelReason", client_order_id AS "clientOrderId", created_at::text AS "createdAt",
  updated_at::text AS "updatedAt"
FROM old ORDER BY old.id
