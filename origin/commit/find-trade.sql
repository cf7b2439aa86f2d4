-- Whether any trade was ever recorded.
SELECT EXISTS (SELECT 1 FROM trade_ledger) AS is_there
