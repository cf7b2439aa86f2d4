-- Marks the last prices of items whose new values were refused, or of all items of a provider that failed.
-- $1 rows
UPDATE current_prices c SET data_age = 'stale', source = 'cache', metadata = c.metadata || jsonb_build_object('refusal', r.reason)
FROM jsonb_to_recordset($1::jsonb -> 'rows') AS r("itemCode" text, reason text)
WHERE c.item_code = r."itemCode"
