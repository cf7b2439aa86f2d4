-- Every currency in the ledger.
SELECT currency, scale FROM ledger_currencies
