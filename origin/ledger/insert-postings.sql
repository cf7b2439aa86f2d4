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
SELECT c1::bigint, c2::integer, c3, c4, c5::numeric, c6, c7, c8, to_timestamp(c9::float8 / 1000)
FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[])
  AS t (c1, c2, c3, c4, c5, c6, c7, c8, c9)
