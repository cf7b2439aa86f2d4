-- The settings of tracked prices.
SELECT schedule, revision::float8 AS revision, seeded FROM price_settings
