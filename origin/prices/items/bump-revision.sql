-- Marks a change that readers of the board see. Waits for other changes, so that revisions have the order of their commits.
UPDATE price_settings SET revision = revision + 1 RETURNING revision::float8 AS revision
