/** Seeded random numbers, the same on every machine: a failing run can be repeated. */
export type Random = {
  /** At least 0, below 1. */
  readonly next: () => number;
  readonly chance: (probability: number) => boolean;
  /** A whole number from `min` to `max`, both included. */
  readonly between: (min: number, max: number) => number;
  readonly pick: <Item>(items: readonly [Item, ...Item[]]) => Item;
};

const GOLDEN_STEP = 0x9e3779b9;
const UINT32_SPAN = 2 ** 32;

/** A 32-bit counter with a mixing step: short, and good enough for tests and load. */
export function seededRandom(seed: number): Random {
  let counter = seed | 0;
  const next = () => {
    counter = (counter + GOLDEN_STEP) | 0;
    let mixed = counter ^ (counter >>> 16);
    mixed = Math.imul(mixed, 0x21f0aaad);
    mixed ^= mixed >>> 15;
    mixed = Math.imul(mixed, 0x735a2d97);
    mixed ^= mixed >>> 15;
    return (mixed >>> 0) / UINT32_SPAN;
  };
  const between = (min: number, max: number) => min + Math.floor(next() * (max - min + 1));
  return {
    next,
    between,
    chance: (probability) => next() < probability,
    pick: (items) => items[between(0, items.length - 1)] ?? items[0],
  };
}
