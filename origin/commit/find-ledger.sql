-- Whether the tables of the ledger have been made.
SELECT to_regclass('ledger_consumer_offsets') IS NOT NULL AS is_there
