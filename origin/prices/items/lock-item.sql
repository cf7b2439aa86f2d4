-- One item, locked until the end of the transaction.
-- $1 itemCode
SELECT item_code AS "itemCode", item_type AS "itemType", name_fa AS fa, name_en AS en, name_ar AS ar, enabled, provider, unit, decimals,
  jump_percent_max AS "jumpPercentMax", trim_scale(multiplier)::text AS multiplier, category, icon, sort_order AS "sortOrder",
  original_key AS "originalKey", (extract(epoch FROM created_at) * 1000)::float8 AS "createdAt",
  (extract(epoch FROM updated_at) * 1000)::float8 AS "updatedAt"
FROM tracked_items WHERE item_code = $1 FOR UPDATE
