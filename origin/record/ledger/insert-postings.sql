-- Postings of a batch, one array per column. Arrays in the SELECT list are streamed; in FROM they would be
-- materialised.
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
SELECT unnest($1::bigint[]), unnest($2::integer[]), unnest($3::text[]), unnest($4::text[]), unnest($5::numeric[]),
  unnest($6::text[]), unnest($7::text[]), unnest($8::text[]), to_timestamp(unnest($9::float8[]) / 1000)
