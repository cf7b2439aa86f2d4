import { SHARD } from "../journal/keys.ts";
import { DAY_MS, type Frame } from "./candles/frames.ts";

/**
 * Keys of market data; `docs/redis-keys.md` describes their contents. The projection's own state shares the shard's
 * tag. The others have no tag: readers that do not know shards use these names. One transaction writes them together
 * with the position, so all of them are in one Redis.
 */
export const MARKET_KEY = `${SHARD}:market`;
/** Pair → numbers of trades, and the last trade. */
export const MARKET_PAIRS_KEY = `${SHARD}:market:pairs`;
/** The lease of the worker that projects. */
export const MARKET_LEASE_KEY = `${SHARD}:market:projector`;

export const candlesKey = (pair: string, frame: Frame, day: number) => `v1:candle:${pair}:${frame}:${day}`;
/** Days since 1970, as in a key of candles. */
export const dayOf = (at: number) => Math.floor(at / DAY_MS);

export const summaryKey = (pair: string) => `market:summary:${pair}`;
export const ALL_SUMMARIES_KEY = "market:cache:all";
export const ACTIVE_PAIRS_KEY = "market:active_pairs";
export const PUMP_SCORES_KEY = "market:pump_scores";
export const GAPS_KEY = "market:gaps";

export const positionKey = (user: string, pair: string) => `v1:position:${user}:${pair}`;
/** The pairs that a user has a position in. */
export const positionPairsKey = (user: string) => `v1:positions:${user}`;

/** A chart image that was drawn: where it is, and what it shows. */
export const chartMetaKey = (hash: string) => `v1:chart:meta:${hash}`;

/** Bars of a demo have names of their own. A pair's name has no point, so they never meet. */
export const demoName = (pair: string) => `demo.${pair}`;
/** When the demo's bars end; without it there are none. */
export const DEMO_UNTIL_KEY = "market:demo_until";
