-- Bodies of the journal that the tables have taken in, a bounded number of them.
-- $1 upTo
-- $2 limit
DELETE FROM journal_bodies WHERE sequence IN (SELECT sequence FROM journal_bodies WHERE sequence <= $1::bigint ORDER BY sequence LIMIT $2::integer)
