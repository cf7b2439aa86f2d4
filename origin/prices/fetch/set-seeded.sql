-- Notes which built-in items and providers were inserted. Returns a row to the one caller that may insert them.
-- $1 version
UPDATE price_settings SET seeded = $1::int WHERE seeded < $1::int RETURNING seeded
