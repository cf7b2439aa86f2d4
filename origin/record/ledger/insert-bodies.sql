-- The bodies of journal entries, for a restore.
-- $1 sequences
-- $2 previousHashes
-- $3 hashes
-- $4 lastCommands
-- $5 bodies
INSERT INTO journal_bodies (sequence, previous_hash, hash, last_command, body)
SELECT c1::bigint, c2, c3, c4, c5
FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[]) AS t (c1, c2, c3, c4, c5)
