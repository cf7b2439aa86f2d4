-- Whether anybody has used this database before.
SELECT (SELECT count(*) FROM users)::integer AS users, (SELECT count(*) FROM ledger_entries)::integer AS entries
