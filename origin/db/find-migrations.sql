-- Whether this database has ever been ours.
SELECT to_regclass('schema_migrations') IS NOT NULL AS is_there
