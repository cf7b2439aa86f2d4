-- The engine's time and counters at the position of the tables.
SELECT at::text AS at, next_order_id::text AS "nextOrderId", next_trade_id::text AS "nextTradeId" FROM venue_state
