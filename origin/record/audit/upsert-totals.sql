-- Totals of accounts that have changed since the last verified position.
-- $1 accounts
-- $2 currencies
-- $3 steps
INSERT INTO audit_totals (account, currency, steps)
SELECT * FROM unnest($1::text[], $2::text[], $3::numeric[])
ON CONFLICT (account, currency) DO UPDATE SET steps = excluded.steps
