import type { Redis } from "ioredis";
import { parseMoney } from "../../../shared/money.ts";
import type { PairRow } from "../../engine/changes.ts";
import { replies } from "../../redis/pipeline.ts";
import { bookSnapshotKey, SYSTEM_KEY } from "../../state/keys.ts";
import type { Write } from "../../state/writes.ts";
import { ACTIVE_PAIRS_KEY, ALL_SUMMARIES_KEY, GAPS_KEY, PUMP_SCORES_KEY, summaryKey } from "../keys.ts";
import type { MarketState } from "../market-state.ts";
import { gapPercent, pumpScore, steadyScore } from "../signals/pump-score.ts";
import { type BestPrices, NO_BEST_PRICES, type Summary, summaryOf } from "./summary.ts";

/**
 * Once a second, in the projecting process: summaries, active pairs, pump scores and gaps of all pairs. A pair whose
 * summary has not changed is written again only before it would expire, so an idle venue writes little.
 */
export type MarketRound = {
  /** Reads the books' best prices, and returns the commands for Redis. */
  readonly writes: (state: MarketState, when: When) => Promise<readonly Write[]>;
};

/** The time that 24 hours end at, and the last journal entry in the figures. */
type When = { readonly at: number; readonly sequence: number };

const SUMMARY_SECONDS = 10;
const ALL_MS = 2_000;
/** Half of what a summary is kept for. */
const REPEAT_MS = 5_000;
/** The beginning of a snapshot holds its best prices. */
const BEST_BYTES_MAX = 300;

type Written = { readonly text: string; readonly at: number };

export function createMarketRound(redis: Redis): MarketRound {
  const written = new Map<string, Written>();
  const scores = new Map<string, number>();
  const gaps = new Map<string, number>();
  let active: string | undefined;
  let isFirst = true;
  let all: Written = { text: "", at: 0 };

  async function readBooks(pairs: readonly PairRow[]) {
    const reading = redis.pipeline().hget(SYSTEM_KEY, "min_volume_filter");
    for (const { pair } of pairs) reading.getrange(bookSnapshotKey(pair), 0, BEST_BYTES_MAX);
    const [filter, ...heads] = await replies(reading);
    return { filter: (filter as string | null) ?? "0", best: heads.map((head) => bestIn(head as string)) };
  }

  function summaryWrites(summary: Summary, sequence: number): Write[] {
    const { at, ...rest } = summary;
    const text = JSON.stringify(rest);
    const before = written.get(summary.pair);
    if (before?.text === text && at - before.at < REPEAT_MS) return [];
    written.set(summary.pair, { text, at });
    const key = summaryKey(summary.pair);
    return [
      ["HSET", key, ...summaryHashFields(summary), "sequence", sequence],
      ["EXPIRE", key, SUMMARY_SECONDS],
    ];
  }

  /** Within this time an unchanged text only lives longer. */
  function allWrite(summaries: readonly Summary[], at: number): Write {
    const text = JSON.stringify(summaries.map(({ at: _, ...rest }) => rest));
    if (text === all.text && at - all.at < REPEAT_MS) return ["PEXPIRE", ALL_SUMMARIES_KEY, ALL_MS];
    all = { text, at };
    return ["SET", ALL_SUMMARIES_KEY, JSON.stringify(summaries), "PX", ALL_MS];
  }

  function activeWrites(pairs: readonly PairRow[]): Write[] {
    const names = pairs.filter(({ state }) => state !== "halted").map(({ pair }) => pair);
    if (names.join() === active) return [];
    active = names.join();
    return names.length === 0
      ? [["DEL", ACTIVE_PAIRS_KEY]]
      : [
          ["DEL", ACTIVE_PAIRS_KEY],
          ["SADD", ACTIVE_PAIRS_KEY, ...names],
        ];
  }

  /** Ranks that another process left are replaced, also when there are none now. */
  function firstWrites(): Write[] {
    const writes: Write[] = isFirst ? [["DEL", PUMP_SCORES_KEY, GAPS_KEY]] : [];
    isFirst = false;
    return writes;
  }

  return {
    async writes(state, { at, sequence }) {
      const pairs = [...state.terms.values()].toSorted((a, b) => (a.pair < b.pair ? -1 : 1));
      const { filter, best } = await readBooks(pairs);
      const summaries: Summary[] = [];
      const newScores = new Map<string, number>();
      const newGaps = new Map<string, number>();
      for (const [place, row] of pairs.entries()) {
        const grid = state.grids.of(row.pair, row.grid);
        const day = state.pairs.get(row.pair)?.day;
        day?.moveTo(at);
        const prices = best[place] ?? NO_BEST_PRICES;
        summaries.push(summaryOf({ pair: grid, lastPrice: day?.lastPrice(), day: day?.figures(), best: prices, at }));
        const gap = gapPercent(prices.bestBid, prices.bestAsk);
        if (gap !== undefined) newGaps.set(row.pair, gap);
        const least = parseMoney(filter, grid.quoteScale);
        const facts = day && { ...day.pumpFacts(), quoteVolumeMin: least.ok ? least.value : 0n };
        const score = steadyScore(scores.get(row.pair), facts && pumpScore(facts));
        if (score !== undefined) newScores.set(row.pair, score);
      }
      return [
        ...firstWrites(),
        ...summaries.flatMap((summary) => summaryWrites(summary, sequence)),
        allWrite(summaries, at),
        ...activeWrites(pairs),
        ...rankWrites(PUMP_SCORES_KEY, scores, newScores),
        ...rankWrites(GAPS_KEY, gaps, newGaps),
      ];
    },
  };
}

/** Brings a sorted set from one state to the next. */
function rankWrites(key: string, before: Map<string, number>, after: ReadonlyMap<string, number>): Write[] {
  const gone = [...before.keys()].filter((pair) => !after.has(pair));
  const moved = [...after].filter(([pair, score]) => before.get(pair) !== score);
  before.clear();
  for (const [pair, score] of after) before.set(pair, score);
  return [
    ...(gone.length > 0 ? [["ZREM", key, ...gone] as Write] : []),
    ...(moved.length > 0 ? [["ZADD", key, ...moved.flatMap(([pair, score]) => [score, pair])] as Write] : []),
  ];
}

/** From the first bytes of a book's snapshot. */
function bestIn(head: string): BestPrices {
  const best = /"best":(\[[^\]]*\])/.exec(head)?.[1];
  if (best === undefined) return NO_BEST_PRICES;
  const [bestBid, bidVolume, bestAsk, askVolume] = JSON.parse(best) as readonly (string | null)[];
  return {
    bestBid: bestBid ?? null,
    bidVolume: bidVolume ?? "0",
    bestAsk: bestAsk ?? null,
    askVolume: askVolume ?? "0",
  };
}

/** As in Redis: names with underscores, empty for null. */
export function summaryHashFields(summary: Summary): (string | number)[] {
  return SUMMARY_FIELDS.flatMap(([field, name]) => [name, summary[field] ?? ""]);
}

export const SUMMARY_FIELDS = [
  ["pair", "pair"],
  ["baseCurrency", "base_currency"],
  ["quoteCurrency", "quote_currency"],
  ["lastPrice", "last_price"],
  ["open24h", "open_24h"],
  ["high24h", "high_24h"],
  ["low24h", "low_24h"],
  ["volume24h", "volume_24h"],
  ["quoteVolume24h", "quote_volume_24h"],
  ["bestBid", "best_bid"],
  ["bestAsk", "best_ask"],
  ["bidVolume", "bid_volume"],
  ["askVolume", "ask_volume"],
  ["change24h", "change_24h"],
  ["tradeCount", "trade_count"],
  ["at", "timestamp"],
] as const satisfies readonly (readonly [keyof Summary, string])[];
