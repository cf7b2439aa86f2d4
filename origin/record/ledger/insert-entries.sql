-- One row for each journal entry of a batch.
-- $1 sequences
-- $2 journalHashes
-- $3 hashes
-- $4 lastCommands
-- $5 trades
-- $6 postings
INSERT INTO ledger_entries (sequence, journal_hash, hash, last_command, trades, postings)
SELECT c1::bigint, c2, c3, c4, c5::integer, c6::integer
FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[]) AS t (c1, c2, c3, c4, c5, c6)
