-- Journal entries in the ledger after a position: as many as fit into this many bytes, and at least one.
-- $1 after
-- $2 limit
-- $3 bytesMax
SELECT sequence::text AS sequence, previous_hash AS "previousHash", hash, last_command AS command, body
FROM (
  SELECT *, sum(octet_length(body)) OVER (ORDER BY sequence) - octet_length(body) AS bytes_before
  FROM (SELECT * FROM journal_bodies b WHERE b.sequence > $1::bigint ORDER BY b.sequence LIMIT $2::integer) page
) counted
WHERE bytes_before < $3::bigint ORDER BY counted.sequence
