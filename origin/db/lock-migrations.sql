-- One process at a time migrates; the others wait here. Let go at the end of the transaction.
SELECT pg_advisory_xact_lock(7236091845500161024)::text
