-- Current order lists, one array per column; the ids of a list's orders are one text.
-- $1 ids
-- $2 users
-- $3 pairs
-- $4 kinds
-- $5 clientListIds
-- $6 orderIds
-- $7 statuses
-- $8 reserved
-- $9 dueAs
-- $10 targetProfits
-- $11 stopLosses
-- $12 boughtLots
-- $13 boughtValues
-- $14 createdAt
-- $15 updatedAt
INSERT INTO order_lists (
  id, user_id, pair, kind, client_list_id, order_ids, status, reserved, due_as, target_profit_ppm, stop_loss_ppm,
  bought_lots, bought_value, created_at, updated_at
)
SELECT
  c1::bigint, c2, c3, c4, c5, string_to_array(c6, ',')::bigint[], c7, c8::numeric, c9::bigint, c10::integer,
  c11::integer, c12::bigint, c13::numeric, c14::bigint, c15::bigint
FROM unnest(
  $1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[],
  $10::text[], $11::text[], $12::text[], $13::text[], $14::text[], $15::text[]
) AS t (c1, c2, c3, c4, c5, c6, c7, c8, c9, c10, c11, c12, c13, c14, c15)
ON CONFLICT (id) DO UPDATE SET
  order_ids = excluded.order_ids, status = excluded.status, reserved = excluded.reserved, due_as = excluded.due_as,
  bought_lots = excluded.bought_lots, bought_value = excluded.bought_value, updated_at = excluded.updated_at
