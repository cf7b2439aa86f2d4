-- How many trades a pair has up to an id.
-- $1 symbol
-- $2 upTo
SELECT count(*)::text AS count FROM trade_ledger WHERE symbol = $1 AND trade_id <= $2::bigint
