-- All our tables with the tables that they reference, without partitions.
SELECT c.relname AS name,
  coalesce((
    SELECT array_agg(DISTINCT r.relname::text) FROM pg_constraint f JOIN pg_class r ON r.oid = f.confrelid
    WHERE f.conrelid = c.oid AND f.contype = 'f' AND f.confrelid <> c.oid
  ), '{}') AS "pointsTo"
FROM pg_class c
WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
  AND c.relname <> 'schema_migrations'
ORDER BY c.relname
