-- Moves a reader of the journal on, if it still stands where the caller believes it does.
-- $1 consumer
-- $2 before
-- $3 after
UPDATE ledger_consumer_offsets SET sequence = $3::bigint, updated_at = clock_timestamp()
WHERE consumer = $1 AND sequence = $2::bigint
RETURNING sequence::text AS sequence
