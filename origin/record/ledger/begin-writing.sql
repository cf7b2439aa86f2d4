-- Sets the role and the time limits of statements and locks for the rest of the transaction.
-- $1 role
-- $2 lockMs
-- $3 statementMs
SELECT set_config('role', $1, true), set_config('lock_timeout', $2, true), set_config('statement_timeout', $3, true)
