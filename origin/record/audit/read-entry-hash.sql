-- The hash of one row of the ledger's chain.
-- $1 sequence
SELECT hash FROM ledger_entries e WHERE e.sequence = $1::bigint
