-- Whether the ledger holds a movement of money: by the command that moved it where its id is known, else by its
-- reference.
-- $1 account
-- $2 kind
-- $3 currency
-- $4 reference
-- $5 commandId
-- $6 sinceMs
SELECT EXISTS (
  SELECT 1 FROM postings
  WHERE account = $1 AND kind = $2 AND currency = $3 AND reference = $4 AND ($5::text IS NULL OR cause = $5::text)
    AND posted_at >= to_timestamp($6::float8 / 1000)
) AS "isThere"
