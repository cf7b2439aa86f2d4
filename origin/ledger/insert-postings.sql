-- Postings of a batch, one list per column.
-- $1 sequences
-- $2 numbers
-- $3 accounts
-- $4 currencies
-- $5 amounts
-- $6 kinds
-- $7 causes
-- $8 references
-- $9 atMs
INSERT INTO postings (sequence, number, account, currency, amount, kind, cause, reference, posted_at)
SELECT c1, c2, c3, c4, c5, c6, c7, c8, to_timestamp(c9 / 1000)
FROM unnest($1::bigint[], $2::integer[], $3::text[], $4::text[], $5::numeric[], $6::text[], $7::text[], $8::text[], $9::float8[])
  AS t (c1, c2, c3, c4, c5, c6, c7, c8, c9)
