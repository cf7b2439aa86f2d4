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
  c1::bigint, c2, c3, c4::integer, c5, c6, c7, c8::boolean, c9::bigint, c10::bigint, c11::numeric, c12::bigint, c13::numeric, c14::numeric, c15,
  c16, c17, c18::bigint, c19::bigint
FROM unnest(
  $1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[], $11::text[],
  $12::text[], $13::text[], $14::text[], $15::text[], $16::text[], $17::text[], $18::text[], $19::text[]
) AS t (c1, c2, c3, c4, c5, c6, c7, c8, c9, c10, c11, c12, c13, c14, c15, c16, c17, c18, c19)
ON CONFLICT (id) DO UPDATE SET
  filled_lots = excluded.filled_lots, filled_value = excluded.filled_value, fee_paid = excluded.fee_paid, status = excluded.status,
  cancel_reason = excluded.cancel_reason, updated_at = excluded.updated_at
