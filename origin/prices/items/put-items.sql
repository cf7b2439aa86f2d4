-- Inserts items, or replaces those that exist if the caller says so. Returns those that were written.
-- $1 rows
-- $2 replaces
INSERT INTO tracked_items (item_code, item_type, name_fa, name_en, name_ar, enabled, provider, unit, decimals, jump_percent_max, multiplier,
  category, icon, sort_order, original_key)
SELECT "itemCode", "itemType", fa, en, ar, enabled, provider, unit, decimals, "jumpPercentMax", multiplier, category, icon, "sortOrder",
  "originalKey"
FROM jsonb_to_recordset($1::jsonb -> 'rows') AS r("itemCode" text, "itemType" text, fa text, en text, ar text, enabled boolean,
  provider text, unit text, decimals integer, "jumpPercentMax" integer, multiplier numeric, category text, icon text, "sortOrder" integer,
  "originalKey" text)
ON CONFLICT (item_code) DO UPDATE SET item_type = excluded.item_type, name_fa = excluded.name_fa, name_en = excluded.name_en,
  name_ar = excluded.name_ar, enabled = excluded.enabled, provider = excluded.provider, unit = excluded.unit,
  decimals = excluded.decimals, jump_percent_max = excluded.jump_percent_max, multiplier = excluded.multiplier,
  category = excluded.category, icon = excluded.icon, sort_order = excluded.sort_order, original_key = excluded.original_key,
  updated_at = now()
WHERE $2::boolean
RETURNING item_code AS "itemCode"
