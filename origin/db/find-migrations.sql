-- Whether this database has our migrations table.
SELECT to_regclass('schema_migrations') IS NOT NULL AS is_there
