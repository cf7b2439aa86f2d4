-- The engine's time and its counters, as of the write-behind's position.
SELECT at::text AS at, next_order_id::text AS "nextOrderId", next_trade_id::text AS "nextTradeId" FROM venue_state
