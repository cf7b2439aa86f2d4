-- Whether the table of trades has been made.
SELECT to_regclass('trade_ledger') IS NOT NULL AS is_there
