-- One process migrates at a time; the others wait here until the end of its transaction.
SELECT pg_advisory_xact_lock(7236091845500161024)::text
