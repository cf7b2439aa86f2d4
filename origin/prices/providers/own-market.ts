import type { Redis } from "ioredis";
import { z } from "zod";
import { replies } from "../../redis/pipeline.ts";
import { lastPriceKey, pairConfigKey } from "../../state/keys.ts";
import type { Quote } from "./read-answer.ts";

/** The last prices of our own pairs; a pair without a trade has none. The unit is the pair's quote currency. */
export async function venueQuotes(redis: Redis, pairs: readonly string[]): Promise<readonly Quote[]> {
  const asked = redis.pipeline();
  for (const pair of pairs) asked.get(lastPriceKey(pair)).hget(pairConfigKey(pair), "quote_currency");
  const found = pairs.length === 0 ? [] : await replies(asked);
  return pairs.flatMap((key, index) => {
    const [price, unit] = [found[2 * index], found[2 * index + 1]];
    return typeof price === "string" && typeof unit === "string" ? { key, price, unit: unit.toLowerCase() } : [];
  });
}

/** A summary of an outside market as `origin/feeds/` writes it, of which only this is read. */
const summarySchema = z.object({
  lastPrice: z.string(),
  high24h: z.string().optional(),
  low24h: z.string().optional(),
  volume24h: z.string().optional(),
  at: z.coerce.number(),
});

const feedSummaryKey = (source: string, pair: string) => `market:summary:${source}:${pair}`;
/** An older summary is no price of now. */
const FEED_AGE_MS_MAX = 60_000;
/** Outside markets are quoted in a dollar's stablecoin. */
const FEED_UNIT = "usd";

type FeedQuestion = { readonly source: string; readonly keys: readonly string[]; readonly nowMs: number };

/** The last prices that a market feed has seen; what it has not seen within a minute counts as missing. */
export async function feedQuotes(redis: Redis, { source, keys, nowMs }: FeedQuestion): Promise<readonly Quote[]> {
  const asked = redis.pipeline();
  for (const key of keys) asked.get(feedSummaryKey(source, key));
  const found = keys.length === 0 ? [] : await replies(asked);
  return keys.flatMap((key, index) => {
    const summary = parseSummary(found[index]);
    if (summary === undefined || nowMs - summary.at > FEED_AGE_MS_MAX) return [];
    const { lastPrice: price, high24h: high, low24h: low, volume24h: volume, at: atMs } = summary;
    return { key, price, unit: FEED_UNIT, high, low, volume, atMs };
  });
}

function parseSummary(text: unknown): z.output<typeof summarySchema> | undefined {
  try {
    return summarySchema.safeParse(JSON.parse(String(text))).data;
  } catch {
    return undefined;
  }
}
