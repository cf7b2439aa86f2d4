-- The migrations that created the tables.
SELECT version, sha256 FROM schema_migrations ORDER BY version
