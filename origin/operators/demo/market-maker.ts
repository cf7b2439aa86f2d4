import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { nextMiddle, type QuotedPair, quotesOf } from "./quotes.ts";
import { problemOf, type VenueClient, VenueRefusal } from "./venue-client.ts";

type Maker = {
  readonly client: VenueClient;
  readonly random: () => number;
  readonly say: (line: string) => void;
  /** Stops quoting and cancels the quotes. */
  readonly signal: AbortSignal;
};

/** The first price of each pair, in the quote currency, and the value of an order. */
const STARTS: Readonly<Record<string, { readonly middle: number; readonly value: number }>> = {
  btcidr: { middle: 1_600_000_000, value: 20_000_000 },
  ethidr: { middle: 56_000_000, value: 20_000_000 },
  btcusdt: { middle: 100_000, value: 1_000 },
  ethusdt: { middle: 3_500, value: 1_000 },
};

/** For the demo's history, which ends at these prices. */
export const DEMO_PRICES: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(STARTS).map(([pair, { middle }]) => [pair, String(middle)]),
);

const ROUND_MS = 2_000;
/** The demo ends if the venue is unavailable for longer than this. */
const FAILURES_MAX = 15;

const pairsSchema = z.object({
  pairs: z.array(
    z.object({ pair: z.string(), tickSize: z.string(), lotSize: z.string(), lastPrice: z.string().nullable() }),
  ),
});
const resultsSchema = z.object({ results: z.array(z.object({ status: z.number() })) });

/** Quotes until it is stopped: each round replaces the quotes, around a price that moves randomly. */
export async function makeMarket({ client, random, say, signal }: Maker): Promise<void> {
  const listed = pairsSchema.parse(await asked(client, "GET", "/market/pairs")).pairs;
  const quoted = listed.flatMap((pair) => {
    const start = STARTS[pair.pair];
    return start === undefined
      ? []
      : [
          {
            ...pair,
            value: start.value,
            start: Number(pair.lastPrice ?? start.middle),
            middle: Number(pair.lastPrice ?? start.middle),
          },
        ];
  });
  let failures = 0;
  let hasQuoted = false;
  while (!signal.aborted) {
    try {
      let orders = 0;
      for (const pair of quoted) {
        pair.middle = nextMiddle({ ...pair, random });
        orders += await renew(client, pair, pair.middle, random);
      }
      if (!hasQuoted)
        say(
          `The market maker quotes ${quoted.map(({ pair }) => pair).join(", ")}: ${orders} orders, replaced every ${ROUND_MS / 1000} s. Ctrl-C stops it.`,
        );
      hasQuoted = true;
      failures = 0;
    } catch (error) {
      failures++;
      say(`A round failed: ${error instanceof Error ? error.message : String(error)}`);
      if (failures >= FAILURES_MAX) throw new VenueRefusal("the venue has accepted no quotes for too long");
    }
    await sleep(ROUND_MS, undefined, { signal }).catch(() => {});
  }
  await asked(client, "DELETE", "/orders");
}

/** Returns how many of the new quotes were accepted. */
async function renew(client: VenueClient, pair: QuotedPair, middle: number, random: () => number): Promise<number> {
  await asked(client, "DELETE", `/orders?pair=${pair.pair}`);
  const { results } = resultsSchema.parse(
    await asked(client, "POST", "/orders/batch", { orders: quotesOf(pair, middle, random) }),
  );
  return results.filter(({ status }) => status === 201).length;
}

async function asked(client: VenueClient, method: string, path: string, json?: unknown): Promise<unknown> {
  const answer = await client.call(method, path, json);
  if (answer.status >= 300) throw new VenueRefusal(`${method} ${path}: ${problemOf(answer)}`);
  return answer.body;
}
