import { z } from "zod";
import type { Random } from "../../kit/random.ts";
import { assert } from "../../shared/assert.ts";
import { formatMoney, type Money, parseMoney } from "../../shared/money.ts";

/**
 * Draws orders for pairs of the venue, with prices within a few ticks on both sides, so that about half trade at once.
 */
export type Market = {
  readonly currencies: readonly string[];
  readonly limitOrder: (random: Random) => OrderWish;
  readonly marketOrder: (random: Random) => OrderWish;
  /** Waits on its side of the middle, where the price comes now and then; refused if it is there already. */
  readonly stopOrder: (random: Random) => OrderWish;
};

/** An order without its client order id. */
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

/** The price of a pair that has never traded, in its quote currency. */
const FIRST_PRICES: Readonly<Record<string, number>> = {
  btcidr: 1_600_000_000,
  ethidr: 56_000_000,
  btcusdt: 100_000,
  ethusdt: 3_500,
};
const FIRST_PRICE = 1_000;
const SPREAD_TICKS = 10;
/** Multiples of the pair's minimum value. */
const VALUES_MIN = 2;
const VALUES_MAX = 20;
/** No step of the venue is finer. */
const SCALE = 8;

/** From the answer to `GET /market/pairs`. Throws for a pair that the venue does not have. */
export function openMarket(
  answer: unknown,
  wanted: readonly [string, ...string[]],
  { isAuction = false }: { readonly isAuction?: boolean | undefined } = {},
): Market {
  const listed = pairsSchema.parse(answer).pairs;
  const missing = wanted.filter((name) => listed.every(({ pair }) => pair !== name));
  if (missing.length > 0)
    throw new Error(`the venue has no pair ${missing.join(", ")}; it has ${listed.map(({ pair }) => pair).join(", ")}`);
  const traded = listed.filter(({ pair }) => wanted.includes(pair)).map(toTraded);
  const [first, ...others] = traded;
  assert(first !== undefined, "at least one pair is traded");
  const pick = (random: Random) => random.pick([first, ...others]);
  const common = (random: Random, { pair, lotSteps, lotsMin }: Traded) => ({
    pair,
    side: random.chance(0.5) ? "buy" : "sell",
    quantity: text(BigInt(random.between(lotsMin * VALUES_MIN, lotsMin * VALUES_MAX)) * lotSteps),
    // No order is rejected for self-trade; an auction accepts orders that cross an own one only with `none`.
    selfTrade: isAuction ? "none" : "cancelOldest",
  });
  return {
    currencies: [
      ...new Set(
        listed
          .filter(({ pair }) => wanted.includes(pair))
          .flatMap(({ baseCurrency, quoteCurrency }) => [baseCurrency, quoteCurrency]),
      ),
    ],
    limitOrder(random) {
      const pair = pick(random);
      const ticks = pair.middleTicks + random.between(-SPREAD_TICKS, SPREAD_TICKS);
      return { ...common(random, pair), type: "limit", price: text(BigInt(ticks) * pair.tickSteps) };
    },
    marketOrder: (random) => ({ ...common(random, pick(random)), type: "market" }),
    stopOrder(random) {
      const pair = pick(random);
      const order = common(random, pair);
      const away = random.between(SPREAD_TICKS / 2, 2 * SPREAD_TICKS) * (order.side === "sell" ? -1 : 1);
      const price = text(BigInt(pair.middleTicks + away) * pair.tickSteps);
      return { ...order, type: "stopLimit", stopPrice: price, price };
    },
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

function toTraded({
  pair,
  tickSize,
  lotSize,
  minimumValue,
  lastPrice,
}: z.output<typeof pairsSchema>["pairs"][number]): Traded {
  const price = lastPrice === null ? (FIRST_PRICES[pair] ?? FIRST_PRICE) : Number(lastPrice);
  const lotsMin = Math.max(1, Math.ceil(Number(minimumValue) / (price * Number(lotSize))));
  // A draw, not money: floating point is fine.
  const middleTicks = Math.max(2 * SPREAD_TICKS + 1, Math.round(price / Number(tickSize)));
  return { pair, tickSteps: steps(tickSize), lotSteps: steps(lotSize), middleTicks, lotsMin };
}

function steps(decimal: string): bigint {
  const parsed = parseMoney(decimal, SCALE);
  assert(parsed.ok, "a step of the venue is a decimal");
  return parsed.value;
}

const text = (amount: bigint) => formatMoney(amount as Money, SCALE);
