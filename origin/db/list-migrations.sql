-- The migrations that have run, in order.
SELECT version, name, sha256 FROM schema_migrations ORDER BY version
