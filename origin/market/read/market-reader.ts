import type { Redis } from "ioredis";
import type { Result } from "../../../shared/result.ts";
import { amountText, stepsOf } from "../../instruments/amounts.ts";
import type { Grid } from "../../instruments/grid.ts";
import { replies } from "../../redis/pipeline.ts";
import { lastPriceKey } from "../../state/keys.ts";
import { ALL_SUMMARIES_KEY, GAPS_KEY, PUMP_SCORES_KEY, positionKey, positionPairsKey, summaryKey } from "../keys.ts";
import { averageEntryOf, positionFrom, unrealisedAt } from "../positions/position.ts";
import { SUMMARY_FIELDS } from "../summary/market-round.ts";
import type { Summary } from "../summary/summary.ts";
import { type CandleFault, type CandleQuery, type Candles, readCandles } from "./candle-query.ts";
import type { ColdRows } from "./candle-rows.ts";

/** Market data for readers in any process: it only reads, and the cost does not grow with pairs or history. */
export type MarketReader = {
  readonly candles: (query: CandleQuery) => Promise<Result<Candles, CandleFault>>;
  /** JSON of a list; undefined while no worker writes summaries. */
  readonly summariesJson: () => Promise<string | undefined>;
  readonly summary: (pair: string) => Promise<Summary | undefined>;
  readonly pumps: (count: number) => Promise<readonly Ranked[]>;
  readonly gaps: (count: number) => Promise<readonly Ranked[]>;
  /** The grid gives a pair's decimals. */
  readonly positions: (user: string, gridOf: GridOf) => Promise<readonly PositionView[]>;
};

export type Ranked = { readonly pair: string; readonly score: number };

type GridOf = (pair: string) => Promise<Grid | undefined>;

export type PositionView = {
  readonly pair: string;
  readonly quantity: string;
  readonly averageEntry: string | null;
  readonly cost: string;
  readonly realised: string;
  readonly unrealised: string;
  readonly markPrice: string | null;
  readonly baseFees: string;
  readonly quoteFees: string;
  readonly trades: number;
};

type ReaderParts = { readonly redis: Redis; readonly cold: ColdRows; readonly nowMs: () => number };

export function openMarketReader(parts: ReaderParts): MarketReader {
  const { redis } = parts;
  const ranked = async (key: string, count: number): Promise<readonly Ranked[]> => {
    const flat = await redis.zrevrange(key, 0, count - 1, "WITHSCORES");
    return Array.from({ length: flat.length / 2 }, (_, place) => ({
      pair: flat[2 * place] as string,
      score: Number(flat[2 * place + 1]),
    }));
  };

  return {
    candles: (query) => readCandles(parts, query),
    summariesJson: async () => (await redis.get(ALL_SUMMARIES_KEY)) ?? undefined,
    async summary(pair) {
      const fields = await redis.hgetall(summaryKey(pair));
      return fields["pair"] === undefined ? undefined : summaryFrom(fields);
    },
    pumps: (count) => ranked(PUMP_SCORES_KEY, count),
    gaps: (count) => ranked(GAPS_KEY, count),
    async positions(user, gridOf) {
      const pairs = (await redis.smembers(positionPairsKey(user))).toSorted();
      if (pairs.length === 0) return [];
      const keys = pairs.flatMap((pair) => [positionKey(user, pair), lastPriceKey(pair)]);
      const [texts] = (await replies(redis.pipeline().mget(keys))) as [readonly (string | null)[]];
      const views = pairs.map(async (pair, place): Promise<PositionView | undefined> => {
        const [text, mark] = [texts[2 * place] ?? null, texts[2 * place + 1] ?? null];
        const grid = await gridOf(pair);
        return text === null || grid === undefined ? undefined : viewOf(text, mark, grid);
      });
      return (await Promise.all(views)).filter((view) => view !== undefined);
    },
  };
}

const NUMBERS: ReadonlySet<string> = new Set(["tradeCount", "at"]);
const NULLABLE: ReadonlySet<string> = new Set(["lastPrice", "open24h", "high24h", "low24h", "bestBid", "bestAsk"]);

function summaryFrom(fields: Readonly<Record<string, string>>): Summary {
  const entries = SUMMARY_FIELDS.map(([field, name]) => {
    const text = fields[name] ?? "";
    if (NUMBERS.has(field)) return [field, Number(text)];
    return [field, text === "" && NULLABLE.has(field) ? null : text];
  });
  return Object.fromEntries(entries) as Summary;
}

function viewOf(text: string, mark: string | null, grid: Grid): PositionView {
  const position = positionFrom(text, grid);
  const quote = (steps: bigint) => amountText(steps, grid.quoteScale);
  const base = (steps: bigint) => amountText(steps, grid.baseScale);
  const entry = averageEntryOf(position, grid);
  const price = mark === null ? undefined : stepsOf(mark, grid.quoteScale);
  return {
    pair: grid.pair,
    quantity: base(position.quantity),
    averageEntry: entry === undefined ? null : quote(entry),
    cost: quote(position.cost),
    realised: quote(position.realised),
    unrealised: price === undefined ? "0" : quote(unrealisedAt(position, price, grid)),
    markPrice: mark,
    baseFees: base(position.baseFees),
    quoteFees: quote(position.quoteFees),
    trades: position.trades,
  };
}
