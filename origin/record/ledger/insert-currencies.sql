-- Currencies that are new to the ledger.
-- $1 currencies
-- $2 scales
INSERT INTO ledger_currencies (currency, scale)
SELECT c1, c2::integer FROM unnest($1::text[], $2::text[]) AS t (c1, c2)
ON CONFLICT (currency) DO NOTHING
