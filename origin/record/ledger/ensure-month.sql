-- Partitions for a month and the one after, made ahead.
-- $1 month
SELECT ledger_ensure_month($1::date)::text, ledger_ensure_month(($1::date + interval '1 month')::date)::text
