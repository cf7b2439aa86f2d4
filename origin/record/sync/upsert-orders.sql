-- Current orders, one array per column.
-- $1 ids
-- $2 users
-- $3 pairs
-- $4 grids
-- $5 sides
-- $6 types
-- $7 timesInForce
-- $8 postOnly
-- $9 ticks
-- $10 lots
-- $11 quoteAmounts
-- $12 filledLots
-- $13 filledValues
-- $14 feesPaid
-- $15 statuses
-- $16 cancelReasons
-- $17 clientOrderIds
-- $18 createdAt
-- $19 updatedAt
-- $20 conditions
INSERT INTO orders AS o (
  id, user_id, pair, grid, side, type, time_in_force, post_only, ticks, lots, quote_amount, filled_lots, filled_value,
  fee_paid, status, cancel_reason, client_order_id, created_at, updated_at, conditions
)
SELECT unnest($1::bigint[]), unnest($2::text[]), unnest($3::text[]), unnest($4::integer[]), unnest($5::text[]),
  unnest($6::text[]), unnest($7::text[]), unnest($8::boolean[]), unnest($9::bigint[]), unnest($10::bigint[]),
  unnest($11::numeric[]), unnest($12::bigint[]), unnest($13::numeric[]), unnest($14::numeric[]), unnest($15::text[]),
  unnest($16::text[]), unnest($17::text[]), unnest($18::bigint[]), unnest($19::bigint[]),
  nullif(unnest($20::text[]), '')::jsonb
ON CONFLICT (id) DO UPDATE SET
  ticks = excluded.ticks, lots = excluded.lots, conditions = excluded.conditions,
  filled_lots = excluded.filled_lots, filled_value = excluded.filled_value, fee_paid = excluded.fee_paid,
  status = excluded.status, cancel_reason = excluded.cancel_reason, updated_at = excluded.updated_at
