-- The work that autovacuum and the checkpointer of a server would do now: statements for tables with many dead, new or
-- changed rows or old transaction ids, and the bytes of write-ahead log since the last checkpoint. New rows are
-- analysed 100,000 at a time, because a statement blocks all others.
SELECT
  ARRAY(
    SELECT CASE WHEN n.wants_analyze THEN 'VACUUM (ANALYZE) ' ELSE 'VACUUM ' END || c.oid::regclass::text
    FROM pg_class c
    JOIN pg_stat_all_tables s ON s.relid = c.oid
    LEFT JOIN pg_class t ON t.oid = c.reltoastrelid
    LEFT JOIN pg_stat_all_tables ts ON ts.relid = t.oid
    CROSS JOIN LATERAL (SELECT s.n_mod_since_analyze > 1000 + 0.2 * greatest(c.reltuples, 0) AS wants_analyze) n
    WHERE c.relkind = 'r' AND (
      n.wants_analyze
      OR s.n_dead_tup > 1000 + 0.2 * greatest(c.reltuples, 0)
      OR ts.n_dead_tup > 1000 + 0.2 * greatest(t.reltuples, 0)
      OR s.n_ins_since_vacuum > 1000 + least(0.2 * greatest(c.reltuples, 0), 100000)
      OR age(c.relfrozenxid) > 50000000
    )
    ORDER BY age(c.relfrozenxid) DESC
  ) AS statements,
  (SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), redo_lsn)::bigint::text FROM pg_control_checkpoint()) AS "walBytes"
