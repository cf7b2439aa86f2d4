-- Open and pending orders, by id.
-- $1 after
-- $2 limit
SELECT id::text AS id, user_id AS "user", pair, grid, side, type, time_in_force AS "timeInForce",
  post_only AS "postOnly", ticks::text AS ticks, lots::text AS lots, quote_amount::text AS "quoteAmount",
  filled_lots::text AS "filledLots", filled_value::text AS "filledValue", fee_paid::text AS "feePaid", status,
  cancel_reason AS "cancelReason", client_order_id AS "clientOrderId", created_at::text AS "createdAt",
  updated_at::text AS "updatedAt", conditions
FROM orders o WHERE o.status IN ('pending', 'open', 'partiallyFilled') AND o.id > $1::bigint ORDER BY o.id LIMIT $2::integer
