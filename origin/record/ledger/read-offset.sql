-- Where a reader of the journal stands, with both hashes of the last entry that the ledger holds.
-- $1 consumer
SELECT o.sequence::text AS sequence, coalesce(e.journal_hash, '') AS "journalHash", coalesce(e.hash, '') AS hash,
  coalesce(e.last_command, '') AS command
FROM ledger_consumer_offsets o LEFT JOIN ledger_entries e ON e.sequence = o.sequence
WHERE o.consumer = $1
