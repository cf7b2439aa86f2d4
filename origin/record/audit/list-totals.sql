-- Totals of accounts at the verified position, a page after an account and currency.
-- $1 afterAccount
-- $2 afterCurrency
-- $3 limit
SELECT account, currency, steps::text AS steps
FROM audit_totals t WHERE (t.account, t.currency) > ($1::text, $2::text)
ORDER BY t.account, t.currency LIMIT $3::integer
