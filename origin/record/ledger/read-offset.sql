-- The position of a consumer of the journal, with both hashes of the last entry in the ledger.
-- $1 consumer
SELECT o.sequence::text AS sequence, coalesce(e.journal_hash, '') AS "journalHash", coalesce(e.hash, '') AS hash,
  coalesce(e.last_command, '') AS command
FROM ledger_consumer_offsets o LEFT JOIN ledger_entries e ON e.sequence = o.sequence
WHERE o.consumer = $1
