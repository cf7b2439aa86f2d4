-- Order lists after an id, by id, which is the order of their creation.
-- $1 after
-- $2 limit
SELECT id::text AS id, user_id AS "user", pair, kind, client_list_id AS "clientListId",
  array_to_string(order_ids, ',') AS "orderIds", status, reserved::text AS reserved, due_as::text AS "dueAs",
  target_profit_ppm AS "targetProfitPpm", stop_loss_ppm AS "stopLossPpm", bought_lots::text AS "boughtLots",
  bought_value::text AS "boughtValue", created_at::text AS "createdAt", updated_at::text AS "updatedAt"
FROM order_lists l WHERE l.id > $1::bigint ORDER BY l.id LIMIT $2::integer
