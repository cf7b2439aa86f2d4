import { setImmediate as nextTurn } from "node:timers/promises";
import type { Redis } from "ioredis";
import type { Logger } from "pino";
import { createGrids } from "../instruments/grids.ts";
import type { GuardedWrites, Write } from "../state/writes.ts";
import { FRAMES } from "./candles/frames.ts";
import { candlesKey, dayOf, MARKET_KEY, MARKET_PAIRS_KEY } from "./keys.ts";
import type { LedgerReader } from "./ledger-reader.ts";
import { createMarketState, positionWrite } from "./market-state.ts";
import { HOT_DAYS } from "./pair-market.ts";
import { createPositionBook } from "./positions/position-book.ts";

type RebuildParts = {
  readonly ledger: LedgerReader;
  readonly redis: Redis;
  readonly writes: GuardedWrites;
  readonly nowMs: number;
  readonly log: Logger;
};

export type Rebuilt = { readonly sequence: number; readonly trades: number; readonly ms: number };

/** The longest frame begins a month before its end. */
const DAYS_BEFORE = HOT_DAYS + 32;

/**
 * Makes all market data in Redis again from the trades of the ledger: numbers, bars of the hot window and positions.
 * The result is at the ledger's position, from which the projection continues with the journal. A mark is there from
 * the beginning to the end, so an interrupted rebuild starts over and nothing half-made is continued from.
 */
export async function rebuildMarket({ ledger, redis, writes, nowMs, log }: RebuildParts): Promise<Rebuilt> {
  const startedMs = performance.now();
  const position = await ledger.position();
  const terms = await ledger.terms();
  const grids = createGrids();
  grids.learn(terms);
  await redis.multi().del(MARKET_KEY, MARKET_PAIRS_KEY).hset(MARKET_KEY, "rebuilding", "1").exec();
  await deleteCandles(redis, new Set(terms.pairs.map(({ pair }) => pair)), nowMs);
  const state = createMarketState({ grids, terms: [], pairs: [], positions: createPositionBook(undefined) });
  let trades = 0;
  let at = 0;
  for await (const page of ledger.trades(grids, { upTo: position.sequence })) {
    state.absorb(page);
    trades += page.length;
    at = page.at(-1)?.at ?? at;
    await writeAll(writes, state.takeWrites());
  }
  await writeAll(writes, [["HDEL", MARKET_KEY, "rebuilding"], positionWrite({ ...position, at })]);
  const ms = Math.round(performance.now() - startedMs);
  log.info({ sequence: position.sequence, trades, ms }, "market data is rebuilt from the ledger");
  return { sequence: position.sequence, trades, ms };
}

/** Bars that the ledger does not know would otherwise stay. */
async function deleteCandles(redis: Redis, pairs: ReadonlySet<string>, nowMs: number): Promise<void> {
  const days = Array.from({ length: DAYS_BEFORE + 1 }, (_, back) => dayOf(nowMs) - back);
  for (const pair of pairs)
    await redis.unlink(FRAMES.flatMap((frame) => days.map((day) => candlesKey(pair, frame, day))));
}

/** So many commands block Redis for some milliseconds. */
const WRITES_MAX = 2_000;

/**
 * The connection may still watch the position that this rebuild has deleted: one refusal shows that, the next one ends
 * the old watch.
 */
const TRIES_MAX = 3;

async function writeAll(guarded: GuardedWrites, writes: readonly Write[]): Promise<void> {
  for (let from = 0; from < writes.length; from += WRITES_MAX) {
    const guard = { key: MARKET_KEY, field: "sequence", expected: "0" };
    const page = writes.slice(from, from + WRITES_MAX);
    let isWritten = false;
    for (let tries = 0; !isWritten && tries < TRIES_MAX; tries++) isWritten = await guarded.write(guard, page, false);
    if (!isWritten) throw new Error("another process has rebuilt the market data");
    await nextTurn();
  }
}
