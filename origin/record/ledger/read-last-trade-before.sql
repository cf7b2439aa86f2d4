-- The last trade before a time.
-- $1 at
SELECT coalesce(max(trade_id), 0)::text AS "lastId"
FROM trade_ledger
WHERE executed_at < to_timestamp($1::float8 / 1000)
