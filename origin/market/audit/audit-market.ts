import { setTimeout as sleep } from "node:timers/promises";
import type { Redis } from "ioredis";
import { createGrids, type Grids } from "../../instruments/grids.ts";
import { MARKET_KEY } from "../keys.ts";
import type { LedgerReader, LedgerTrade } from "../ledger-reader.ts";
import { positionFrom } from "../load-market.ts";
import { compareCandles } from "./compare-candles.ts";
import { createPositionCheck } from "./compare-positions.ts";
import { compareSummary } from "./compare-summary.ts";
import { createNaiveMinutes, type NaiveMinutes } from "./naive-minutes.ts";
import { type PairSnapshot, readSnapshots } from "./read-snapshots.ts";

/**
 * Compares candles, summaries and positions in Redis with a recomputation from the ledger, to the last unit, while
 * trading continues: each pair is read as of one journal entry, and the ledger's trades up to that entry count.
 */
export type MarketAudit = {
  readonly redis: Redis;
  readonly ledger: LedgerReader;
  /** Bars that begin earlier, and positions, are not compared; undefined for everything. */
  readonly fromMs?: number | undefined;
  readonly find: (check: MarketCheck, sentence: string) => void;
  readonly pause?: () => Promise<void>;
};

export type MarketCheck = "candles" | "summaries" | "positions";

export type MarketFacts = Readonly<Record<MarketCheck, string>>;

const LEDGER_WAIT_MS_MAX = 30_000;
const LEDGER_LOOK_MS = 50;

/** A pair's naive bars: up to the entry of its snapshot, and up to the entry of its summary. */
type Recomputed = { readonly snapshot: PairSnapshot; readonly bars: NaiveMinutes; readonly ofSummary: NaiveMinutes };

export async function auditMarket(audit: MarketAudit): Promise<MarketFacts> {
  const { redis, ledger, fromMs = 0, find, pause = async () => {} } = audit;
  const fields = await redis.hgetall(MARKET_KEY);
  if (fields["sequence"] === undefined) return { candles: NOT_YET, summaries: NOT_YET, positions: NOT_YET };
  const isFull = fromMs === 0;
  const grids = await gridsOf(ledger);
  const snapshots = await readSnapshots(redis, grids);
  const positions = isFull ? createPositionCheck({ redis, find }) : undefined;
  await positions?.read();
  // Nothing that was read so far is later than this.
  const { sequence: upTo } = positionFrom(await redis.hgetall(MARKET_KEY));
  if (!(await untilAt(ledger, upTo))) {
    find("candles", `the ledger has not reached entry ${upTo}, at which market data is`);
    return { candles: "", summaries: "", positions: "" };
  }
  const all = new Map(snapshots.map((snapshot) => [snapshot.pair, recomputationOf(snapshot)]));
  const after = isFull ? 0 : await ledger.lastTradeBefore(fromMs);
  let trades = 0;
  for await (const page of ledger.trades(grids, { after, upTo })) {
    for (const trade of page) recompute(all.get(trade.pair), trade, grids);
    for (const trade of page) positions?.add(trade, grids.of(trade.pair, trade.grid));
    trades += page.length;
    await pause();
  }
  let bars = 0;
  for (const { snapshot, bars: naive, ofSummary } of all.values()) {
    bars += await compareCandles(redis, { snapshot, naive, fromMs, find: (text) => find("candles", text) });
    compareSummary({ snapshot, naive: ofSummary, isFull, find: (text) => find("summaries", text) });
    await pause();
  }
  positions?.finish();
  return {
    candles: `${bars} bars of ${all.size} pairs, ${trades} trades`,
    summaries: `${all.size} pairs`,
    positions: positions === undefined ? "only in a full audit" : `${positions.count()} positions`,
  };
}

function recompute(pair: Recomputed | undefined, trade: LedgerTrade, grids: Grids): void {
  if (pair === undefined) return;
  const grid = grids.of(trade.pair, trade.grid);
  if (trade.sequence <= pair.snapshot.sequence) pair.bars.add(trade, grid);
  if (trade.sequence <= (pair.snapshot.summary?.sequence ?? 0)) pair.ofSummary.add(trade, grid);
}

const NOT_YET = "none yet";

function recomputationOf(snapshot: PairSnapshot): Recomputed {
  return { snapshot, bars: createNaiveMinutes(), ofSummary: createNaiveMinutes() };
}

async function gridsOf(ledger: LedgerReader): Promise<Grids> {
  const grids = createGrids();
  grids.learn(await ledger.terms());
  return grids;
}

async function untilAt(ledger: LedgerReader, sequence: number): Promise<boolean> {
  for (let waitedMs = 0; waitedMs <= LEDGER_WAIT_MS_MAX; waitedMs += LEDGER_LOOK_MS) {
    if ((await ledger.position()).sequence >= sequence) return true;
    await sleep(LEDGER_LOOK_MS);
  }
  return false;
}
