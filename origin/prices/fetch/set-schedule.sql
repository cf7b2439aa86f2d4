-- Replaces the schedule.
-- $1 schedule
UPDATE price_settings SET schedule = $1, updated_at = now()
