-- What autovacuum and the checkpointer would do now, by the rules of a server: tables with many dead, new or changed rows or old transaction
-- numbers, and how much has been written to the log since the last checkpoint.
SELECT
  ARRAY(
    SELECT c.oid::regclass::text
    FROM pg_class c
    JOIN pg_stat_all_tables s ON s.relid = c.oid
    LEFT JOIN pg_class t ON t.oid = c.reltoastrelid
    LEFT JOIN pg_stat_all_tables ts ON ts.relid = t.oid
    WHERE c.relkind = 'r' AND (
      greatest(s.n_dead_tup, s.n_ins_since_vacuum, s.n_mod_since_analyze) > 1000 + 0.2 * greatest(c.reltuples, 0)
      OR ts.n_dead_tup > 1000 + 0.2 * greatest(t.reltuples, 0)
      OR age(c.relfrozenxid) > 50000000
    )
    ORDER BY age(c.relfrozenxid) DESC
  ) AS tables,
  (SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), redo_lsn)::bigint::text FROM pg_control_checkpoint()) AS "walBytes"
