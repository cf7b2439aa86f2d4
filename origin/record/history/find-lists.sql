-- Order lists by id.
-- $1 ids
SELECT id::text AS id, user_id AS "user", pair, kind, client_list_id AS "clientListId",
  array_to_string(order_ids, ',') AS "orderIds", status, reserved::text AS reserved, due_as::text AS "dueAs",
  target_profit_ppm AS "targetProfitPpm", stop_loss_ppm AS "stopLossPpm", bought_lots::text AS "boughtLots",
  bought_value::text AS "boughtValue", created_at::text AS "createdAt", updated_at::text AS "updatedAt"
FROM order_lists l WHERE l.id = ANY (SELECT c1::bigint FROM unnest($1::text[]) AS t (c1))
