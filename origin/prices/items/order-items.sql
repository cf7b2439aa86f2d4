-- Puts the named items first, in this order; the others follow in the order that they have.
-- $1 itemCodes
UPDATE tracked_items i SET sort_order = n.place * 10, updated_at = now()
FROM (
  SELECT item_code, row_number() OVER (ORDER BY array_position($1::text[], item_code) NULLS LAST, sort_order, item_code) AS place
  FROM tracked_items
) n
WHERE n.item_code = i.item_code AND i.sort_order <> n.place * 10
