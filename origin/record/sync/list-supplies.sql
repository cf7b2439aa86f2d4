-- All currencies.
SELECT currency, scale, supply::text AS supply FROM currencies
