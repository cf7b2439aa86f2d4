import { z } from "zod";
import { assert } from "../../shared/assert.ts";
import { formatMoney, type Money, parseMoney } from "../../shared/money.ts";
import type { Random } from "../../test/sim/random.ts";

/** Makes orders for pairs of the venue: prices within a few ticks of each other on both sides, so that about half of them trade at once. */
export type Market = {
  readonly currencies: readonly string[];
  readonly limitOrder: (random: Random) => OrderWish;
  readonly marketOrder: (random: Random) => OrderWish;
};

/** The content of an order; its name comes later. */
export type OrderWish = Readonly<Record<string, string>>;

const pairsSchema = z.object({
  pairs: z.array(
    z.object({
      pair: z.string(),
      baseCurrency: z.string(),
      quoteCurrency: z.string(),
      tickSize: z.string(),
      lotSize: z.string(),
      minimumValue: z.string(),
      lastPrice: z.string().nullable(),
    }),
  ),
});

/** Where a pair begins that has never traded, in its quote currency. */
const FIRST_PRICES: Readonly<Record<string, number>> = { btcidr: 1_600_000_000, ethidr: 56_000_000, btcusdt: 100_000, ethusdt: 3_500 };
const FIRST_PRICE = 1_000;
const SPREAD_TICKS = 10;
/** Of the least that an order may be worth. */
const VALUES_MIN = 2;
const VALUES_MAX = 20;
/** As fine as any step of the venue. */
const SCALE = 8;

/** From the venue's answer to `GET /market/pairs`; the names of pairs that it does not have are told. */
export function openMarket(answer: unknown, wanted: readonly [string, ...string[]]): Market {
  const listed = pairsSchema.parse(answer).pairs;
  const missing = wanted.filter((name) => listed.every(({ pair }) => pair !== name));
  if (missing.length > 0)
    throw new Error(`the venue has no pair ${missing.join(", ")}; it has ${listed.map(({ pair }) => pair).join(", ")}`);
  const traded = listed.filter(({ pair }) => wanted.includes(pair)).map(toTraded);
  const [first, ...others] = traded;
  assert(first !== undefined, "somebody wants to trade at least one pair");
  const pick = (random: Random) => random.pick([first, ...others]);
  const common = (random: Random, { pair, lotSteps, lotsMin }: Traded) => ({
    pair,
    side: random.chance(0.5) ? "buy" : "sell",
    quantity: text(BigInt(random.between(lotsMin * VALUES_MIN, lotsMin * VALUES_MAX)) * lotSteps),
    // Nobody is refused for meeting themselves.
    selfTradePrevention: "cancelOldest",
  });
  return {
    currencies: [
      ...new Set(
        listed.filter(({ pair }) => wanted.includes(pair)).flatMap(({ baseCurrency, quoteCurrency }) => [baseCurrency, quoteCurrency]),
      ),
    ],
    limitOrder(random) {
      const pair = pick(random);
      const ticks = pair.middleTicks + random.between(-SPREAD_TICKS, SPREAD_TICKS);
      return { ...common(random, pair), type: "limit", price: text(BigInt(ticks) * pair.tickSteps) };
    },
    marketOrder: (random) => ({ ...common(random, pick(random)), type: "market" }),
  };
}

type Traded = {
  readonly pair: string;
  readonly tickSteps: bigint;
  readonly lotSteps: bigint;
  readonly middleTicks: number;
  /** Worth at least the pair's minimum. */
  readonly lotsMin: number;
};

function toTraded({ pair, tickSize, lotSize, minimumValue, lastPrice }: z.output<typeof pairsSchema>["pairs"][number]): Traded {
  const price = lastPrice === null ? (FIRST_PRICES[pair] ?? FIRST_PRICE) : Number(lastPrice);
  const lotsMin = Math.max(1, Math.ceil(Number(minimumValue) / (price * Number(lotSize))));
  // These are somebody's wishes, not money: floats may make them.
  const middleTicks = Math.max(SPREAD_TICKS + 1, Math.round(price / Number(tickSize)));
  return { pair, tickSteps: steps(tickSize), lotSteps: steps(lotSize), middleTicks, lotsMin };
}

function steps(decimal: string): bigint {
  const parsed = parseMoney(decimal, SCALE);
  assert(parsed.ok, "a step of the venue is a decimal");
  return parsed.value;
}

const text = (amount: bigint) => formatMoney(amount as Money, SCALE);
