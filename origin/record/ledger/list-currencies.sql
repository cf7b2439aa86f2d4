-- Every currency that the ledger has met.
SELECT currency, scale FROM ledger_currencies
