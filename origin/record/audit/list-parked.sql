-- Entries that could not be posted.
SELECT sequence::text AS sequence, reason FROM ledger_parked p ORDER BY p.sequence LIMIT 100
