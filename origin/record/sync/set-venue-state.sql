-- The engine's time and counters.
-- $1 at
-- $2 nextOrderId
-- $3 nextTradeId
UPDATE venue_state SET at = $1::bigint, next_order_id = $2::bigint, next_trade_id = $3::bigint
