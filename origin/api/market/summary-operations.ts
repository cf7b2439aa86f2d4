import { z } from "zod";
import type { Summary } from "../../market/summary/summary.ts";
import { programOperation, publicOperation, type VenueOperation } from "../operation.ts";
import { answerSchemas } from "../schemas.ts";
import { pairField } from "../trading/fields.ts";
import type { MarketParts } from "./candle-operations.ts";

const price = z.string().nullable();

const summarySchema = z
  .strictObject({
    pair: z.string(),
    baseCurrency: z.string(),
    quoteCurrency: z.string(),
    lastPrice: price.describe("null before the first trade."),
    open24h: price,
    high24h: price,
    low24h: price,
    volume24h: z.string(),
    quoteVolume24h: z.string(),
    bestBid: price.describe("null when this side of the book is empty."),
    bestAsk: price,
    bidVolume: z.string(),
    askVolume: z.string(),
    change24h: z.string().describe("In percent."),
    tradeCount: z.int(),
    at: z.int().describe("The time that the 24 hours end at: 1,440 closed minutes and the open one."),
  })
  .register(answerSchemas, { id: "Summary" }) satisfies z.ZodType<Summary>;

const rankedSchema = z.strictObject({ pair: z.string(), score: z.number().describe("0 to 100.") });
const gapSchema = z.strictObject({ pair: z.string(), gapPercent: z.string().describe("In percent of the middle.") });

const positionSchema = z.strictObject({
  pair: z.string(),
  quantity: z.string().describe("Bought less sold, fees included; negative when more was sold than bought here."),
  averageEntry: z.string().nullable().describe("The cost of one unit; null without a quantity."),
  cost: z.string(),
  realised: z.string().describe("In the quote currency, fees included."),
  unrealised: z.string().describe("At the last price."),
  markPrice: z.string().nullable(),
  baseFees: z.string(),
  quoteFees: z.string(),
  trades: z.int(),
});

const COUNT_MAX = 100;
const countField = z
  .string()
  .refine(
    (text) => /^[1-9]\d{0,2}$/.test(text) && Number(text) <= COUNT_MAX,
    `must be a whole number from 1 to ${COUNT_MAX}`,
  )
  .default("20")
  .meta({ type: "integer", minimum: 1, maximum: COUNT_MAX, default: 20 });

const RETRY = { retryAfterSeconds: 1 };

export function summaryOperations({ market, cache, findPair }: MarketParts): readonly VenueOperation[] {
  return [
    publicOperation({
      method: "get",
      path: "/market/summary",
      id: "listSummaries",
      summary: "The last 24 hours of all pairs",
      limit: "read",
      answers: {
        200: {
          description: "Sorted by name.",
          schema: z.strictObject({ pairs: z.array(summarySchema) }).register(answerSchemas, { id: "SummaryList" }),
        },
      },
      refusals: ["market_data_unavailable"],
      run: (caller) =>
        cache.answer(caller, {
          key: "summaries",
          make: async () => {
            const text = await market.summariesJson();
            return text === undefined ? caller.refuse("market_data_unavailable", RETRY) : `{"pairs":${text}}`;
          },
        }),
    }),
    publicOperation({
      method: "get",
      path: "/market/pump",
      id: "listPumpScores",
      summary: "Pairs that rise unusually fast, the highest score first",
      limit: "read",
      query: z.strictObject({ limit: countField }),
      answers: {
        200: {
          description: "Pairs without an hour of history have no score.",
          schema: z.strictObject({ pairs: z.array(rankedSchema) }).register(answerSchemas, { id: "PumpScores" }),
        },
      },
      refusals: [],
      run: (caller, { query: { limit } }) =>
        cache.answer(caller, {
          key: `pump ${limit}`,
          make: async () => {
            const pairs = await market.pumps(Number(limit));
            return JSON.stringify({ pairs: pairs.map(({ pair, score }) => ({ pair, score: rounded(score) })) });
          },
        }),
    }),
    publicOperation({
      method: "get",
      path: "/market/gaps",
      id: "listGaps",
      summary: "Pairs by the spread of their book, the widest first",
      limit: "read",
      query: z.strictObject({ limit: countField }),
      answers: {
        200: {
          description: "Only pairs with orders on both sides.",
          schema: z.strictObject({ pairs: z.array(gapSchema) }).register(answerSchemas, { id: "Gaps" }),
        },
      },
      refusals: [],
      run: (caller, { query: { limit } }) =>
        cache.answer(caller, {
          key: `gaps ${limit}`,
          make: async () => {
            const pairs = await market.gaps(Number(limit));
            return JSON.stringify({ pairs: pairs.map(({ pair, score }) => ({ pair, gapPercent: score.toFixed(4) })) });
          },
        }),
    }),
    publicOperation({
      method: "get",
      path: "/market/{pair}/summary",
      id: "readSummary",
      summary: "The last 24 hours of a pair",
      limit: "read",
      params: z.strictObject({ pair: pairField }),
      answers: { 200: { description: "Up to a second old.", schema: summarySchema } },
      refusals: ["pair_not_found", "market_data_unavailable"],
      run: (caller, { params: { pair } }) =>
        cache.answer(caller, {
          key: `summary ${pair}`,
          make: async () => {
            if ((await findPair(pair)) === undefined) return caller.refuse("pair_not_found");
            const found = await market.summary(pair);
            return found === undefined ? caller.refuse("market_data_unavailable", RETRY) : JSON.stringify(found);
          },
        }),
    }),
    programOperation({
      method: "get",
      path: "/positions",
      id: "listPositions",
      summary: "Your results per pair, by average cost",
      description:
        "Only trades change a position. Deposits, withdrawals and transfers do not: coins that were deposited and sold give a negative quantity.",
      limit: "read",
      permission: "info",
      answers: {
        200: {
          description: "Sorted by pair.",
          schema: z.strictObject({ positions: z.array(positionSchema) }).register(answerSchemas, { id: "Positions" }),
        },
      },
      refusals: [],
      run: async (caller) =>
        caller.answer(200, { positions: await market.positions(caller.identity.user.id, findPair) }),
    }),
  ];
}

const rounded = (score: number) => Math.round(score * 100) / 100;
