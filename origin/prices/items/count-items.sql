-- How many items there are.
SELECT count(*)::int AS count FROM tracked_items
