import { seededRandom } from "../../../kit/random.ts";
import type { RequestVariant } from "../http/http-load.ts";

const VARIANTS = 512;
/** The same orders in every run. */
const SEED = 42;

/**
 * Requests of all users in turn, with one order each or several. Prices lie within twenty ticks on both sides: about
 * half of the orders trade at once, and the book neither empties nor fills.
 */
export function orderVariants(
  people: readonly Readonly<Record<string, string>>[],
  count: number,
): readonly RequestVariant[] {
  const { between } = seededRandom(SEED);
  const order = (side: string) => ({
    pair: "btcidr",
    side,
    type: "limit",
    price: String(1_000_000_000 + between(0, 19) * 1_000),
    quantity: `0.000${between(10, 89)}`,
    // No order is rejected for self-trade.
    selfTradePrevention: "cancelOldest",
  });
  return Array.from({ length: VARIANTS }, (_, index) => {
    const side = (place: number) => ((index + place) % 2 === 0 ? "buy" : "sell");
    const body =
      count === 1 ? order(side(0)) : { orders: Array.from({ length: count }, (_each, place) => order(side(place))) };
    return { headers: people[(index >> 1) % people.length] ?? {}, body: JSON.stringify(body) };
  });
}
