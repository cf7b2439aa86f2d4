-- Replaces all settings of the venue.
-- $1 maintenanceMode
-- $2 maintenanceMessage
-- $3 maxOpenOrders
-- $4 minVolumeFilter
UPDATE system_settings
SET maintenance_mode = $1, maintenance_message = $2, max_open_orders = $3, min_volume_filter = $4::text::numeric, revision = revision + 1, updated_at = now()
RETURNING maintenance_mode AS "maintenanceMode", maintenance_message AS "maintenanceMessage", max_open_orders AS "maxOpenOrders",
  trim_scale(min_volume_filter)::text AS "minVolumeFilter", revision
