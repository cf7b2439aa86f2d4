-- Identity columns continue after the last restored value.
SELECT setval(pg_get_serial_sequence('audit_log', 'id'),
  greatest(1, (SELECT coalesce(max(id), 1) FROM audit_log)))::text AS last
