-- Enabled items of demo providers that have no history, with the seed of their provider.
SELECT i.item_code AS "itemCode", (p.description ->> 'seed')::int AS seed
FROM tracked_items i JOIN price_providers p USING (provider)
WHERE p.kind = 'demo' AND p.enabled AND i.enabled AND NOT EXISTS (SELECT FROM historical_ohlc h WHERE h.item_code = i.item_code AND h.timeframe = '1d')
ORDER BY i.sort_order
