-- Whether this transaction is the only writer for this consumer. Released at its end.
-- $1 consumer
SELECT pg_try_advisory_xact_lock(hashtextextended('sluice journal reader ' || $1, 0)) AS taken
