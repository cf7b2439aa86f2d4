-- Whether the ledger's role exists and we may use it.
SELECT to_regrole('sluice_ledger') IS NOT NULL
  AND pg_has_role(current_user, to_regrole('sluice_ledger')::oid, 'MEMBER') AS allowed
