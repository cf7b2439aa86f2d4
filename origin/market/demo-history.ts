import type { Redis } from "ioredis";
import { parseMoney } from "../../shared/money.ts";
import type { Grid } from "../instruments/grid.ts";
import { replies } from "../redis/pipeline.ts";
import { type Bar, mergeUpward } from "./candles/bar.ts";
import { barText } from "./candles/bar-text.ts";
import { bucketStart, DAY_MS, FRAMES, MINUTE_MS } from "./candles/frames.ts";
import { candlesKey, DEMO_UNTIL_KEY, dayOf, demoName } from "./keys.ts";

/**
 * Thirty days of candles from a seed, so that charts of a demo look alive at its first start. They are under names of
 * their own (`demo.<pair>`), end when they are made, are shown only where the pair has no bar, and are marked as demo
 * data in every answer. No trade of theirs is in the journal, the ledger or PostgreSQL.
 */
export type DemoPair = { readonly grid: Grid; readonly price: string };

type DemoParts = { readonly redis: Redis; readonly nowMs: number; readonly seed: number };

const DAYS = 30;
/** The largest move in a minute, in millionths. */
const STEP_PPM = 1_500n;
const KEPT_SECONDS = 31 * 86_400;

export async function makeDemoHistory({ redis, nowMs, seed }: DemoParts, pairs: readonly DemoPair[]): Promise<number> {
  const until = bucketStart("1m", nowMs);
  let bars = 0;
  for (const [place, pair] of pairs.entries()) {
    const minutes = randomMinutes(pair, { until, next: counter(seed + place) });
    for (const frame of FRAMES) {
      if (frame === "1s") continue;
      const byDay = Map.groupBy(
        mergeUpward(minutes, (at) => bucketStart(frame, at)),
        ({ openTime }) => dayOf(openTime),
      );
      for (const [day, ofDay] of byDay) {
        const key = candlesKey(demoName(pair.grid.pair), frame, day);
        const fields = ofDay.flatMap((bar) => [String(bar.openTime), barText(bar, pair.grid)]);
        await replies(
          redis
            .pipeline()
            .hset(key, ...fields)
            .expire(key, KEPT_SECONDS),
        );
        bars += ofDay.length;
      }
    }
  }
  await redis.set(DEMO_UNTIL_KEY, String(until), "EX", KEPT_SECONDS);
  return bars;
}

type Walk = { readonly until: number; readonly next: (span: bigint) => bigint };

/** Ends at the pair's price: the walk goes backwards. */
function randomMinutes({ grid, price }: DemoPair, { until, next }: Walk): readonly Bar[] {
  const parsed = parseMoney(price, grid.quoteScale);
  const minutes: Bar[] = [];
  let close: bigint = parsed.ok && parsed.value > 0n ? parsed.value : grid.tickSteps;
  const onGrid = (steps: bigint) => (steps < grid.tickSteps ? grid.tickSteps : steps - (steps % grid.tickSteps));
  const first = until - DAYS * DAY_MS;
  for (let openTime = until - MINUTE_MS; openTime >= first; openTime -= MINUTE_MS) {
    const move = () => (close * (next(2n * STEP_PPM) - STEP_PPM)) / 1_000_000n;
    const open = onGrid(close + move());
    const [top, bottom] = open > close ? [open, close] : [close, open];
    const wick = (close * next(STEP_PPM)) / 2_000_000n;
    const volume = grid.lotSteps * (1n + next(1_000n));
    const quoteVolume = (volume * close) / 10n ** BigInt(grid.baseScale);
    const number = (openTime - first) / MINUTE_MS + 1;
    const sums = { volume, quoteVolume, trades: 1, takerBuyVolume: volume / 2n, takerBuyQuoteVolume: quoteVolume / 2n };
    const prices = { open, high: onGrid(top + wick), low: onGrid(bottom - wick), close };
    minutes.push({
      openTime,
      ...prices,
      high: prices.high < top ? top : prices.high,
      ...sums,
      firstTrade: number,
      lastTrade: number,
    });
    close = open;
  }
  return minutes.reverse();
}

/** At least 0 and below a bound, from a seed. */
function counter(seed: number): (span: bigint) => bigint {
  let state = BigInt(seed) + 88_172_645_463_325_252n;
  return (span) => {
    state ^= BigInt.asUintN(64, state << 13n);
    state ^= state >> 7n;
    state = BigInt.asUintN(64, state ^ (state << 17n));
    return state % span;
  };
}
