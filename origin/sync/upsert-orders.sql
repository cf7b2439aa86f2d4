-- Orders as they stand now, one list per column.
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
INSERT INTO orders AS o (
  id, user_id, pair, grid, side, type, time_in_force, post_only, ticks, lots, quote_amount, filled_lots, filled_value, fee_paid, status,
  cancel_reason, client_order_id, created_at, updated_at
)
SELECT
  c1, c2, c3, c4, c5, c6, c7, c8, c9, c10, c11, c12, c13, c14, c15, c16, c17, c18, c19
FROM unnest(
  $1::bigint[], $2::text[], $3::text[], $4::integer[], $5::text[], $6::text[], $7::text[], $8::boolean[], $9::bigint[], $10::bigint[],
  $11::numeric[], $12::bigint[], $13::numeric[], $14::numeric[], $15::text[], $16::text[], $17::text[], $18::bigint[], $19::bigint[]
) AS t (c1, c2, c3, c4, c5, c6, c7, c8, c9, c10, c11, c12, c13, c14, c15, c16, c17, c18, c19)
ON CONFLICT (id) DO UPDATE SET
  filled_lots = excluded.filled_lots, filled_value = excluded.filled_value, fee_paid = excluded.fee_paid, status = excluded.status,
  cancel_reason = excluded.cancel_reason, updated_at = excluded.updated_at
