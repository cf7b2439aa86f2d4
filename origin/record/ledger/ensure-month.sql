-- Creates the partitions of a month and of the next one.
-- $1 month
SELECT ledger_ensure_month($1::date)::text, ledger_ensure_month(($1::date + interval '1 month')::date)::text
