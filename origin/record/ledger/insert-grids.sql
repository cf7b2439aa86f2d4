-- Grids that are new to the ledger.
-- $1 pairs
-- $2 grids
-- $3 baseCurrencies
-- $4 quoteCurrencies
-- $5 tickSteps
-- $6 lotSteps
INSERT INTO ledger_grids (pair, grid, base_currency, quote_currency, tick_steps, lot_steps)
SELECT c1, c2::integer, c3, c4, c5::numeric, c6::numeric
FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[]) AS t (c1, c2, c3, c4, c5, c6)
ON CONFLICT (pair, grid) DO NOTHING
