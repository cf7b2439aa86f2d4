-- The steps that have run, in their order.
SELECT version, name, sha256 FROM schema_migrations ORDER BY version
