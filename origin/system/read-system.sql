-- The settings of the venue.
SELECT maintenance_mode AS "maintenanceMode", maintenance_message AS "maintenanceMessage", max_open_orders AS "maxOpenOrders",
  trim_scale(min_volume_filter)::text AS "minVolumeFilter", revision
FROM system_settings
