-- Whether anything was ever recorded: deposits are a past too.
SELECT sequence > 0 AS is_there FROM ledger_consumer_offsets WHERE consumer = 'ledger'
