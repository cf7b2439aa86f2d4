-- Deletes a bounded number of journal bodies that the tables include.
-- $1 upTo
-- $2 limit
DELETE FROM journal_bodies
WHERE sequence IN (SELECT sequence FROM journal_bodies WHERE sequence <= $1::bigint ORDER BY sequence LIMIT $2::integer)
