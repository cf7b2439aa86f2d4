-- Every grid of every pair in the ledger.
SELECT pair, grid, base_currency AS "baseCurrency", quote_currency AS "quoteCurrency", tick_steps::text AS "tickSteps",
  lot_steps::text AS "lotSteps"
FROM ledger_grids
