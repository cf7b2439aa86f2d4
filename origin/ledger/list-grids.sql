-- Every grid of every pair that the ledger has met.
SELECT pair, grid, base_currency AS "baseCurrency", quote_currency AS "quoteCurrency", tick_steps::text AS "tickSteps", lot_steps::text AS "lotSteps"
FROM ledger_grids
