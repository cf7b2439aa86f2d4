-- Whether this database has been used before.
SELECT (SELECT count(*) FROM users)::integer AS users, (SELECT count(*) FROM ledger_entries)::integer AS entries
