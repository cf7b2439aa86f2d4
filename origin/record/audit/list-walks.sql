-- Positions of the regular audits.
SELECT walk, sequence::text AS sequence, hash, last_trade_id::text AS "lastTradeId", trades::text AS trades,
  postings::text AS postings
FROM audit_walks w ORDER BY w.walk
