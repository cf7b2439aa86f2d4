-- Whether this transaction is the only one that writes for this reader. Let go at its end.
-- $1 consumer
SELECT pg_try_advisory_xact_lock(hashtextextended('sluice journal reader ' || $1, 0)) AS taken
