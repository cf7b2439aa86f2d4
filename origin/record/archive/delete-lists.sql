-- Deletes order lists that the archive holds.
-- $1 ids
DELETE FROM order_lists WHERE id = ANY (SELECT c1::bigint FROM unnest($1::text[]) AS t (c1)) RETURNING id::text AS id
