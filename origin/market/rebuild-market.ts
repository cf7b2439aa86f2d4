import { setImmediate as nextTurn } from "node:timers/promises";
import type { Redis } from "ioredis";
import type { Logger } from "pino";
import type { Database } from "../db/database.ts";
import { createGrids, type Grids } from "../instruments/grids.ts";
import { listCurrencies, listGrids, readOffset } from "../record/ledger/ledger-queries.ts";
import { createGuardedWrites, type GuardedWrites, type Write } from "../state/writes.ts";
import { FRAMES } from "./candles/frames.ts";
import { candlesKey, dayOf, MARKET_KEY, MARKET_PAIRS_KEY } from "./keys.ts";
import { readLedgerTrades } from "./ledger-trades.ts";
import { createMarketState, positionWrite } from "./market-state.ts";
import { HOT_DAYS } from "./pair-market.ts";
import { createPositionBook } from "./positions/position-book.ts";

type RebuildParts = {
  readonly database: Database;
  readonly redis: Redis;
  /** Carries the transactions and nothing else. */
  readonly writer: Redis;
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
export async function rebuildMarket({ database, redis, writer, nowMs, log }: RebuildParts): Promise<Rebuilt> {
  const startedMs = performance.now();
  const guarded = createGuardedWrites(writer);
  const position = await readOffset.first(database, { consumer: "ledger" });
  const grids = await ledgerGrids(database);
  await redis.multi().del(MARKET_KEY, MARKET_PAIRS_KEY).hset(MARKET_KEY, "rebuilding", "1").exec();
  await deleteCandles(redis, await pairsOf(database), nowMs);
  const state = createMarketState({ grids, terms: [], pairs: [], positions: createPositionBook(undefined) });
  let trades = 0;
  let at = 0;
  for await (const page of readLedgerTrades(database, grids, { upTo: position?.sequence ?? 0 })) {
    state.absorb(page);
    trades += page.length;
    at = page.at(-1)?.at ?? at;
    await writeAll(guarded, state.takeWrites());
  }
  const end = {
    sequence: position?.sequence ?? 0,
    hash: position?.journalHash ?? "",
    command: position?.command ?? "",
  };
  await writeAll(guarded, [["HDEL", MARKET_KEY, "rebuilding"], positionWrite({ ...end, at })]);
  const ms = Math.round(performance.now() - startedMs);
  log.info({ ...end, trades, ms }, "market data is rebuilt from the ledger");
  return { sequence: end.sequence, trades, ms };
}

export async function ledgerGrids(database: Database): Promise<Grids> {
  const grids = createGrids();
  grids.learn({ currencies: await listCurrencies.all(database, {}), pairs: await listGrids.all(database, {}) });
  return grids;
}

async function pairsOf(database: Database): Promise<readonly string[]> {
  return [...new Set((await listGrids.all(database, {})).map(({ pair }) => pair))];
}

/** Bars that the ledger does not know would otherwise stay. */
async function deleteCandles(redis: Redis, pairs: readonly string[], nowMs: number): Promise<void> {
  const days = Array.from({ length: DAYS_BEFORE + 1 }, (_, back) => dayOf(nowMs) - back);
  for (const pair of pairs)
    await redis.unlink(FRAMES.flatMap((frame) => days.map((day) => candlesKey(pair, frame, day))));
}

/** So many commands block Redis for some milliseconds. */
const WRITES_MAX = 2_000;

async function writeAll(guarded: GuardedWrites, writes: readonly Write[]): Promise<void> {
  for (let from = 0; from < writes.length; from += WRITES_MAX) {
    const guard = { key: MARKET_KEY, field: "sequence", expected: "0" };
    const isWritten = await guarded.write(guard, writes.slice(from, from + WRITES_MAX), false);
    if (!isWritten) throw new Error("another process has rebuilt the market data");
    await nextTurn();
  }
}
