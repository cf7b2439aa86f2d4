-- Entries of the journal that the ledger holds, behind a position.
-- $1 after
-- $2 limit
SELECT sequence::text AS sequence, previous_hash AS "previousHash", hash, last_command AS command, body
FROM journal_bodies b WHERE b.sequence > $1::bigint ORDER BY b.sequence LIMIT $2::integer
