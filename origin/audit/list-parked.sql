-- Entries that could not be posted.
SELECT sequence::text AS sequence, reason FROM ledger_parked ORDER BY sequence LIMIT 100
