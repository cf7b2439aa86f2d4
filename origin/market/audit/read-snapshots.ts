import type { Redis } from "ioredis";
import { assert } from "../../../shared/assert.ts";
import type { Grids } from "../../instruments/grids.ts";
import { bucketStart, FRAMES, type Frame } from "../candles/frames.ts";
import { candlesKey, dayOf, MARKET_KEY, MARKET_PAIRS_KEY, summaryKey } from "../keys.ts";
import { pairStateFrom } from "../market-state.ts";
import type { PairState } from "../pair-market.ts";

/** A pair's market in Redis as of one journal entry. */
export type PairSnapshot = {
  readonly pair: string;
  readonly sequence: number;
  readonly state: PairState;
  /** The text of the newest bar of each frame. */
  readonly newest: ReadonlyMap<Frame, string>;
  readonly summary: StoredSummary | undefined;
};

export type StoredSummary = { readonly sequence: number; readonly fields: Readonly<Record<string, string>> };

/** A pair that keeps opening new buckets is read again. */
const TRIES_MAX = 20;

export async function readSnapshots(redis: Redis, grids: Grids): Promise<readonly PairSnapshot[]> {
  const pairs = Object.keys(await redis.hgetall(MARKET_PAIRS_KEY));
  const snapshots: PairSnapshot[] = [];
  for (const pair of pairs) {
    assert(grids.find(pair, 1) !== undefined, "a pair that has traded is in the ledger");
    snapshots.push(await readSnapshot(redis, pair));
  }
  return snapshots;
}

/** One transaction reads everything, so it belongs to one step of the projection. */
async function readSnapshot(redis: Redis, pair: string): Promise<PairSnapshot> {
  for (let attempt = 0; attempt < TRIES_MAX; attempt++) {
    const before = await readState(redis, pair);
    const buckets = FRAMES.map((frame) => bucketStart(frame, before.lastAt));
    const reading = redis.multi().hget(MARKET_KEY, "sequence").hget(MARKET_PAIRS_KEY, pair).hgetall(summaryKey(pair));
    for (const [place, frame] of FRAMES.entries()) {
      const openTime = buckets[place] as number;
      reading.hget(candlesKey(pair, frame, dayOf(openTime)), String(openTime));
    }
    const [sequence, text, summary, ...bars] = ((await reading.exec()) ?? []).map(([, reply]) => reply);
    const state = pairStateFrom(text as string);
    if (FRAMES.some((frame, place) => bucketStart(frame, state.lastAt) !== buckets[place])) continue;
    const newest = FRAMES.flatMap((frame, place): [Frame, string][] =>
      typeof bars[place] === "string" ? [[frame, bars[place]]] : [],
    );
    return { pair, sequence: Number(sequence), state, newest: new Map(newest), summary: summaryFrom(summary) };
  }
  throw new Error(`the market of ${pair} cannot be read as of one entry`);
}

async function readState(redis: Redis, pair: string): Promise<PairState> {
  const text = await redis.hget(MARKET_PAIRS_KEY, pair);
  assert(text !== null, "a pair that was listed is there");
  return pairStateFrom(text);
}

function summaryFrom(reply: unknown): StoredSummary | undefined {
  const fields = reply as Record<string, string>;
  return fields["sequence"] === undefined ? undefined : { sequence: Number(fields["sequence"]), fields };
}
