-- Pairs and their terms.
-- $1 pairs
-- $2 baseCurrencies
-- $3 quoteCurrencies
-- $4 tickSteps
-- $5 lotSteps
-- $6 valueStepsMin
-- $7 makerFees
-- $8 takerFees
-- $9 states
-- $10 bands
-- $11 versions
-- $12 grids
-- $13 lastTicks
-- $14 opensAt
-- $15 freezeMs
-- $16 auctions
-- $17 waves
INSERT INTO trading_pairs (
  pair, base_currency, quote_currency, tick_steps, lot_steps, value_steps_min, maker_fee_ppm, taker_fee_ppm, state,
  band_ppm, version, grid, last_ticks, opens_at, freeze_ms, auction, waves
)
SELECT
  c1, c2, c3, c4::numeric, c5::numeric, c6::numeric, c7::integer, c8::integer, c9, c10::integer, c11::integer,
  c12::integer, c13::bigint, c14::bigint, c15::bigint, c16, c17
FROM unnest(
  $1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[],
  $10::text[], $11::text[], $12::text[], $13::text[], $14::text[], $15::text[], $16::text[],
  $17::text[]
) AS t (c1, c2, c3, c4, c5, c6, c7, c8, c9, c10, c11, c12, c13, c14, c15, c16, c17)
ON CONFLICT (pair) DO UPDATE SET
  tick_steps = excluded.tick_steps, lot_steps = excluded.lot_steps, value_steps_min = excluded.value_steps_min,
  maker_fee_ppm = excluded.maker_fee_ppm, taker_fee_ppm = excluded.taker_fee_ppm, state = excluded.state,
  band_ppm = excluded.band_ppm, version = excluded.version, grid = excluded.grid, last_ticks = excluded.last_ticks,
  opens_at = excluded.opens_at, freeze_ms = excluded.freeze_ms, auction = excluded.auction, waves = excluded.waves
