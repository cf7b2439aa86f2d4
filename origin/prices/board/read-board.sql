-- Everything that the board shows, one row for each enabled item in its order: the latest price, the courses of today and yesterday, and
-- the closes of yesterday, a week ago and a month ago (the last one before, where that day has none).
-- $1 today
-- $2 dayStartMs
-- $3 weekEndMs
-- $4 monthEndMs
SELECT i.item_code AS "itemCode", i.item_type AS "itemType", i.name_fa AS fa, i.name_en AS en, i.name_ar AS ar, i.unit, i.decimals, i.category,
  i.icon, i.provider, trim_scale(c.price)::text AS price, trim_scale(c.change)::text AS change,
  trim_scale(c.change_percent)::text AS "changePercent", trim_scale(c.provider_change_percent)::text AS "providerChangePercent",
  trim_scale(c.high24h)::text AS "high24h", trim_scale(c.low24h)::text AS "low24h", trim_scale(c.volume24h)::text AS "volume24h",
  trim_scale(c.market_cap)::text AS "marketCap", (extract(epoch FROM c.last_updated) * 1000)::float8 AS "lastUpdated", c.source,
  c.data_age AS "dataAge", (extract(epoch FROM c.fresh_until) * 1000)::float8 AS "freshUntil", c.metadata,
  (SELECT jsonb_build_object('date', date, 'dateJalali', date_jalali, 'open', trim_scale(open)::text, 'high', trim_scale(high)::text,
    'low', trim_scale(low)::text, 'close', trim_scale(close)::text, 'updateCount', update_count, 'dataPoints', data_points)
    FROM intraday_ohlc t WHERE t.item_code = i.item_code AND t.date = $1::date) AS today,
  (SELECT jsonb_build_object('date', date, 'dateJalali', date_jalali, 'open', trim_scale(open)::text, 'high', trim_scale(high)::text,
    'low', trim_scale(low)::text, 'close', trim_scale(close)::text, 'updateCount', update_count, 'dataPoints', data_points)
    FROM intraday_ohlc t WHERE t.item_code = i.item_code AND t.date = $1::date - 1) AS yesterday,
  (SELECT jsonb_build_object('date', date, 'close', trim_scale(close)::text) FROM historical_ohlc h WHERE h.item_code = i.item_code
    AND opened_at < to_timestamp($2::float8 / 1000) ORDER BY opened_at DESC LIMIT 1) AS "closeYesterday",
  (SELECT jsonb_build_object('date', date, 'close', trim_scale(close)::text) FROM historical_ohlc h WHERE h.item_code = i.item_code
    AND opened_at < to_timestamp($3::float8 / 1000) ORDER BY opened_at DESC LIMIT 1) AS "closeLastWeek",
  (SELECT jsonb_build_object('date', date, 'close', trim_scale(close)::text) FROM historical_ohlc h WHERE h.item_code = i.item_code
    AND opened_at < to_timestamp($4::float8 / 1000) ORDER BY opened_at DESC LIMIT 1) AS "closeLastMonth"
FROM tracked_items i LEFT JOIN current_prices c ON c.item_code = i.item_code
WHERE i.enabled ORDER BY i.sort_order, i.item_code
