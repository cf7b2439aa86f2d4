import type { Redis } from "ioredis";
import type { PairRow } from "../engine/changes.ts";
import { amountText } from "../instruments/amounts.ts";
import { priceText } from "../instruments/grid.ts";
import type { Grids } from "../instruments/grids.ts";
import { replies } from "../redis/pipeline.ts";
import { lastPriceKey, pairConfigKey } from "./keys.ts";

/**
 * Copies for readers that do not know shards: a pair's terms and its last price. They are absolute, so writing one
 * twice or late does no harm; the next change writes it again.
 */
export async function writePublicCopies(redis: Redis, pairs: readonly PairRow[], grids: Grids): Promise<void> {
  if (pairs.length === 0) return;
  const pipeline = redis.pipeline();
  for (const row of new Map(pairs.map((pair) => [pair.pair, pair])).values()) {
    const grid = grids.of(row.pair, row.grid);
    pipeline.hset(pairConfigKey(row.pair), {
      base_currency: row.baseCurrency,
      quote_currency: row.quoteCurrency,
      tick: amountText(row.tickSteps, grid.quoteScale),
      lot: amountText(row.lotSteps, grid.baseScale),
      min_value: amountText(row.valueStepsMin, grid.quoteScale),
      maker_fee_ppm: row.makerFeePpm,
      taker_fee_ppm: row.takerFeePpm,
      is_trading: row.state === "trading" ? 1 : 0,
      state: row.state,
      band_ppm: row.bandPpm,
      version: row.version,
      grid: row.grid,
    });
    if (row.lastTicks > 0) pipeline.set(lastPriceKey(row.pair), priceText(row.lastTicks, grid));
  }
  await replies(pipeline);
}
