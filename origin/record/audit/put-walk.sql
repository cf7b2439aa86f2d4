-- Writes where a regular audit has ended, unless another one has come further meanwhile.
-- $1 walk
-- $2 sequence
-- $3 hash
-- $4 lastTradeId
-- $5 trades
-- $6 postings
-- $7 mayGoBack
INSERT INTO audit_walks AS w (walk, sequence, hash, last_trade_id, trades, postings)
VALUES ($1::text, $2::bigint, $3::text, $4::bigint, $5::bigint, $6::bigint)
ON CONFLICT (walk) DO UPDATE SET
  sequence = excluded.sequence, hash = excluded.hash, last_trade_id = excluded.last_trade_id, trades = excluded.trades,
  postings = excluded.postings, noted_at = now()
WHERE w.sequence <= excluded.sequence OR $7::boolean
RETURNING w.walk
