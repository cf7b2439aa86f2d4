-- The last journal entry that the ledger holds.
SELECT sequence::text AS sequence FROM ledger_consumer_offsets WHERE consumer = 'ledger'
