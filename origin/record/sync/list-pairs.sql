-- All pairs.
SELECT pair, base_currency AS "baseCurrency", quote_currency AS "quoteCurrency", tick_steps::text AS "tickSteps",
  lot_steps::text AS "lotSteps", value_steps_min::text AS "valueStepsMin", maker_fee_ppm AS "makerFeePpm",
  taker_fee_ppm AS "takerFeePpm", state, band_ppm AS "bandPpm", version, grid,
  last_ticks::text AS "lastTicks", opens_at::text AS "opensAt", freeze_ms::text AS "freezeMs", auction, waves
FROM trading_pairs
