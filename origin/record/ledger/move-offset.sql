-- Advances a consumer of the journal, if it is still at the expected position.
-- $1 consumer
-- $2 before
-- $3 after
UPDATE ledger_consumer_offsets SET sequence = $3::bigint, updated_at = clock_timestamp()
WHERE consumer = $1 AND sequence = $2::bigint
RETURNING sequence::text AS sequence
