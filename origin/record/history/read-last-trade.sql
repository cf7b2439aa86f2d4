-- The newest trade in the ledger.
SELECT trade_id::text AS id FROM trade_ledger t ORDER BY t.trade_id DESC LIMIT 1
