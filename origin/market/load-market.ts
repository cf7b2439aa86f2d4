import type { Redis } from "ioredis";
import type { PairRow } from "../engine/changes.ts";
import { createGrids, type Grids } from "../instruments/grids.ts";
import { replies } from "../redis/pipeline.ts";
import { readTerms } from "../state/load-state.ts";
import type { Bar } from "./candles/bar.ts";
import { barFrom } from "./candles/bar-text.ts";
import type { PairScales } from "./candles/candle-view.ts";
import { bucketStart, FRAMES, type Frame } from "./candles/frames.ts";
import { candlesKey, dayOf, MARKET_KEY, MARKET_PAIRS_KEY } from "./keys.ts";
import { createMarketState, type MarketPosition, type MarketState, pairStateFrom } from "./market-state.ts";
import { createPairMarket, type LoadedPair, type PairState } from "./pair-market.ts";
import { createPositionBook } from "./positions/position-book.ts";
import { dayStart } from "./summary/pair-day.ts";

export type LoadedMarket = {
  readonly position: MarketPosition;
  readonly state: MarketState;
  /** Why Redis cannot be continued from, in a sentence: the market has to be rebuilt from the ledger. */
  readonly damage: string | undefined;
};

/** Reads the market as the last step of a projection has left it. */
export async function loadMarket(redis: Redis, nowMs: number): Promise<LoadedMarket> {
  const { position, grids, terms, loaded, damage } = await readMarket(redis, nowMs);
  const pairs = [...loaded].map(([pair, ofPair]) => createPairMarket(pair, ofPair));
  return { position, state: createMarketState({ grids, terms, pairs, positions: createPositionBook(redis) }), damage };
}

export type ReadMarket = Pick<LoadedMarket, "position" | "damage"> & {
  readonly grids: Grids;
  readonly terms: readonly PairRow[];
  readonly loaded: ReadonlyMap<string, LoadedPair>;
};

/** The same for any reader. One that reads beside a projection reads again when a pair appears to be damaged. */
export async function readMarket(redis: Redis, nowMs: number): Promise<ReadMarket> {
  const [fields, states] = (await replies(redis.pipeline().hgetall(MARKET_KEY).hgetall(MARKET_PAIRS_KEY))) as [
    Record<string, string>,
    Record<string, string>,
  ];
  const grids = createGrids();
  const terms = await readTerms(redis, grids);
  const position = positionFrom(fields);
  let damage = fields["rebuilding"] === undefined ? undefined : "a rebuild was asked for or interrupted";
  const loaded = new Map<string, LoadedPair>();
  for (const [pair, text] of Object.entries(states)) {
    const state = pairStateFrom(text);
    const row = terms.find((known) => known.pair === pair);
    if (row === undefined) damage ??= `${pair} has trades and no terms`;
    else {
      const ofPair = await loadPair(redis, { pair, state, scales: grids.of(pair, row.grid), nowMs });
      damage ??= damageOf(pair, ofPair);
      loaded.set(pair, ofPair);
    }
  }
  return { position, grids, terms, loaded, damage };
}

export function positionFrom(fields: Readonly<Record<string, string>>): MarketPosition {
  return {
    sequence: Number(fields["sequence"] ?? 0),
    hash: fields["hash"] ?? "",
    command: fields["command"] ?? "",
    at: Number(fields["at"] ?? 0),
  };
}

type PairToLoad = {
  readonly pair: string;
  readonly state: PairState;
  readonly scales: PairScales;
  readonly nowMs: number;
};

async function loadPair(redis: Redis, { pair, state, scales, nowMs }: PairToLoad): Promise<LoadedPair> {
  const buckets = FRAMES.map((frame) => ({ frame, openTime: bucketStart(frame, state.lastAt) }));
  const reading = redis.pipeline();
  for (const { frame, openTime } of buckets) reading.hget(candlesKey(pair, frame, dayOf(openTime)), String(openTime));
  const secondDays = [dayOf(state.lastAt) - 1, dayOf(state.lastAt)];
  for (const day of secondDays) reading.hkeys(candlesKey(pair, "1s", day));
  const read = await replies(reading);
  const newest = new Map<Frame, Bar>();
  for (const [place, { frame, openTime }] of buckets.entries()) {
    const text = read[place] as string | null;
    if (text !== null) newest.set(frame, barFrom(openTime, text, scales));
  }
  const seconds = (read.slice(FRAMES.length) as string[][]).flat().map(Number);
  const minutes = await readMinutes(redis, { pair, state, scales, nowMs });
  return { state, newest, minutes, seconds: seconds.toSorted((a, b) => a - b) };
}

async function readMinutes(redis: Redis, { pair, state, scales, nowMs }: PairToLoad): Promise<readonly Bar[]> {
  const from = dayStart(Math.max(nowMs, state.lastAt));
  const minutes: Bar[] = [];
  for (let day = dayOf(from); day <= dayOf(state.lastAt); day++) {
    for (const [openTime, text] of Object.entries(await redis.hgetall(candlesKey(pair, "1m", day)))) {
      if (Number(openTime) >= from) minutes.push(barFrom(Number(openTime), text, scales));
    }
  }
  return minutes.toSorted((a, b) => a.openTime - b.openTime);
}

/** A newest bar holds the last trade. One that is gone has expired, unless its key must still be there. */
function damageOf(pair: string, { state, newest }: LoadedPair): string | undefined {
  for (const [frame, bar] of newest)
    if (bar.lastTrade !== state.trades) return `the newest ${frame} bar of ${pair} does not hold its last trade`;
  // The month's bar lives longest. Without it the pair has not traded for a month, or bars were deleted.
  if (newest.size > 0 && !newest.has("1M")) return `the newest bars of ${pair} are incomplete`;
  return undefined;
}
