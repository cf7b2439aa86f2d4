import type { RequestVariant } from "./http-load.ts";

const VARIANTS = 512;

/**
 * Requests of everybody in turn, with one order each or several. Prices are within twenty ticks of each other on both sides: about half of
 * the orders trade at once, and the book neither empties nor fills.
 */
export function orderVariants(people: readonly Readonly<Record<string, string>>[], count: number): readonly RequestVariant[] {
  const random = createRandom();
  const order = (side: string) => ({
    pair: "btcidr",
    side,
    type: "limit",
    price: String(1_000_000_000 + Math.floor(random() * 20) * 1_000),
    quantity: `0.000${10 + Math.floor(random() * 80)}`,
    // Nobody is refused for meeting themselves.
    selfTradePrevention: "cancelOldest",
  });
  return Array.from({ length: VARIANTS }, (_, index) => {
    const side = (place: number) => ((index + place) % 2 === 0 ? "buy" : "sell");
    const body = count === 1 ? order(side(0)) : { orders: Array.from({ length: count }, (_each, place) => order(side(place))) };
    return { headers: people[(index >> 1) % people.length] ?? {}, body: JSON.stringify(body) };
  });
}

/** The same orders in every run. */
function createRandom(): () => number {
  let state = 42;
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return state / 0x80000000;
  };
}
