-- The result of an auction, with the journal entry that has it.
-- $1 pair
-- $2 number
SELECT a.pair, a.number, a.grid, a.rung_at::text AS "rungAt", a.reference_ticks::text AS "referenceTicks", a.orders,
  a.ticks::text AS ticks, a.lots::text AS lots, a.first_trade_id::text AS "firstTradeId", a.trades,
  a.sequence::text AS sequence, e.journal_hash AS "journalHash"
FROM auctions a JOIN ledger_entries e ON e.sequence = a.sequence
WHERE a.pair = $1 AND a.number = $2::integer
