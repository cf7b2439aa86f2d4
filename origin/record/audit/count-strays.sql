-- Rows after the ledger's position, which the ledger has not written.
-- $1 lastTradeId
SELECT
  (SELECT count(*) FROM postings WHERE sequence > o.sequence)::integer AS postings,
  (SELECT count(*) FROM trade_ledger WHERE trade_id > $1::bigint AND sequence > o.sequence)::integer AS trades,
  (SELECT count(*) FROM ledger_entries WHERE sequence > o.sequence)::integer AS entries
FROM ledger_consumer_offsets o WHERE o.consumer = 'ledger'
