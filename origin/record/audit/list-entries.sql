-- Rows of the ledger's chain after a position.
-- $1 after
-- $2 upTo
-- $3 limit
SELECT sequence::text AS sequence, journal_hash AS "journalHash", hash, trades, postings
FROM ledger_entries e WHERE e.sequence > $1::bigint AND e.sequence <= $2::bigint ORDER BY e.sequence LIMIT $3::integer
