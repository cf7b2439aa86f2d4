-- A page of the orders that took part in an auction, with the journal entry that has it.
-- $1 pair
-- $2 number
-- $3 first
SELECT o.first, o.grid, o.orders, o.sequence::text AS sequence, e.journal_hash AS "journalHash"
FROM auction_orders o JOIN ledger_entries e ON e.sequence = o.sequence
WHERE o.pair = $1 AND o.number = $2::integer AND o.first = $3::integer
