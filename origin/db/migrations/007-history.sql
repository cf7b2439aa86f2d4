-- What people read once Redis no longer holds it: their orders by id, and what came in and went out. Trades are found by the indexes that they have.
CREATE INDEX orders_user ON orders (user_id, id);

-- Without the postings of trades, which are nearly all: those are read entry by entry, and an index of theirs would cost every trade.
CREATE INDEX postings_movements ON postings (account, posted_at) WHERE kind IN ('deposit', 'withdrawal', 'transfer');
