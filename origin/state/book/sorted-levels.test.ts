import { describe, expect, it } from "vitest";
import { type Random, seededRandom } from "../../../kit/random.ts";
import { createSortedLevels, type Level, type SortedLevels } from "./sorted-levels.ts";

/** The same by sorting everything. */
function naiveTop(levels: ReadonlyMap<number, bigint>, side: "buy" | "sell", count: number): readonly Level[] {
  return Array.from(levels, ([ticks, lots]) => ({ ticks, lots, grid: 1 }))
    .sort((a, b) => (side === "buy" ? b.ticks - a.ticks : a.ticks - b.ticks))
    .slice(0, count);
}

/** The lots that the next change adds or takes: growing and shrinking in turn, so that blocks split, join and end. */
function nextLots(random: Random, step: number, held: bigint): bigint {
  const isGrowing = Math.floor(step / 3_000) % 2 === 0;
  const isAdded = held === 0n ? random.chance(isGrowing ? 1 : 0.2) : random.chance(isGrowing ? 0.9 : 0.1);
  if (isAdded) return BigInt(random.between(1, 9));
  return random.chance(0.7) ? -held : -(held === 0n ? 0n : 1n);
}

describe.each(["buy", "sell"] as const)("the %s side", (side) => {
  it.each([1, 2, 3, 4, 5, 6, 7, 8])(
    "has the same best levels as a full sort after random changes (seed %i)",
    (seed) => {
      const random = seededRandom(seed);
      const levels = createSortedLevels(side);
      const naive = new Map<number, bigint>();
      const prices = random.between(10, 6_000);
      for (let step = 0; step < 12_000; step++) {
        const [best] = levels.top(1);
        const ticks = best !== undefined && random.chance(0.3) ? best.ticks : random.between(1, prices);
        const held = naive.get(ticks) ?? 0n;
        const lots = nextLots(random, step, held);
        levels.add(ticks, lots, 1);
        naive.set(ticks, held + lots);
        if (held + lots === 0n) naive.delete(ticks);
        const count = random.between(1, 200);
        if (step % 97 === 0) expect(levels.top(count)).toEqual(naiveTop(naive, side, count));
      }
      expect(levels.size()).toBe(naive.size);
      expect(levels.top(10_000)).toEqual(naiveTop(naive, side, 10_000));
      for (const [ticks, lots] of naive) levels.add(ticks, -lots, 1);
      expect([levels.size(), levels.top(10)]).toEqual([0, []]);
    },
  );
});

const LEVELS = 200_000;
const DEPTH = 100;

describe("a side of 200,000 levels", () => {
  function deepSide(): SortedLevels {
    const levels = createSortedLevels("sell");
    const random = seededRandom(1);
    for (let count = 0; count < LEVELS; ) {
      const ticks = random.between(1, 100 * LEVELS);
      if (levels.at(ticks) !== undefined) continue;
      levels.add(ticks, 1n, 1);
      count++;
    }
    return levels;
  }

  const visitsOf = (levels: SortedLevels, act: () => unknown) => {
    const before = levels.visits();
    act();
    return levels.visits() - before;
  };

  it("is read to a depth at the cost of the elements returned, not of all levels", () => {
    const levels = deepSide();
    expect(visitsOf(levels, () => levels.top(DEPTH))).toBe(DEPTH);
    expect(visitsOf(levels, () => levels.top(5_000))).toBe(5_000);
  });

  it("moves a bounded number of elements per level that begins or ends, also when the top is emptied at once", () => {
    const levels = deepSide();
    const mostForOne = 512 + 2 * (LEVELS / 100) + 64;
    for (let round = 0; round < 50; round++) {
      for (const { ticks, lots } of levels.top(1_000)) {
        expect(visitsOf(levels, () => levels.add(ticks, -lots, 1))).toBeLessThan(mostForOne);
      }
      expect(visitsOf(levels, () => levels.top(DEPTH))).toBe(DEPTH);
    }
    expect(levels.size()).toBe(LEVELS - 50_000);
    for (let ticks = 1; ticks <= 1_000; ticks++)
      expect(visitsOf(levels, () => levels.add(ticks, 1n, 1))).toBeLessThan(mostForOne);
  });

  it("moves nothing for a change at an existing price", () => {
    const levels = deepSide();
    const [best] = levels.top(1);
    expect(visitsOf(levels, () => levels.add(best?.ticks ?? 0, 5n, 1))).toBe(1);
  });
});
