-- The latest price of each item.
-- $1 rows
INSERT INTO current_prices (item_code, item_type, price, change, change_percent, provider_change_percent, high24h, low24h, volume24h,
  market_cap, last_updated, source, data_age, fresh_until, provider, metadata)
SELECT "itemCode", "itemType", price, change, "changePercent", "providerChangePercent", high, low, volume, "marketCap",
  to_timestamp("nowMs" / 1000), source, 'fresh', to_timestamp("freshUntilMs" / 1000), provider, metadata
FROM jsonb_to_recordset($1::jsonb -> 'rows') AS r("itemCode" text, "itemType" text, price numeric, change numeric, "changePercent" numeric,
  "providerChangePercent" numeric, high numeric, low numeric, volume numeric, "marketCap" numeric, "nowMs" float8, source text,
  "freshUntilMs" float8, provider text, metadata jsonb)
ON CONFLICT (item_code) DO UPDATE SET item_type = excluded.item_type, price = excluded.price, change = excluded.change,
  change_percent = excluded.change_percent, provider_change_percent = excluded.provider_change_percent, high24h = excluded.high24h,
  low24h = excluded.low24h, volume24h = excluded.volume24h, market_cap = excluded.market_cap, last_updated = excluded.last_updated,
  source = excluded.source, data_age = excluded.data_age, fresh_until = excluded.fresh_until, provider = excluded.provider,
  metadata = excluded.metadata
