-- Entries that could not be posted.
-- $1 sequences
-- $2 reasons
-- $3 bodies
INSERT INTO ledger_parked (sequence, reason, body)
SELECT c1::bigint, c2, c3 FROM unnest($1::text[], $2::text[], $3::text[]) AS t (c1, c2, c3)
