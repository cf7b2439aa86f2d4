-- Whether there is a role for the ledger that we may take on.
SELECT to_regrole('sluice_ledger') IS NOT NULL AND pg_has_role(current_user, to_regrole('sluice_ledger')::oid, 'MEMBER') AS allowed
