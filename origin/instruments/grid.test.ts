import { describe, expect, it } from "vitest";
import { seededRandom } from "../../kit/random.ts";
import { amountText, stepsOf } from "./amounts.ts";
import {
  averagePriceText,
  type Grid,
  lotsOf,
  priceText,
  quantityText,
  readLots,
  readTicks,
  ticksOf,
  valueSteps,
} from "./grid.ts";
import { createGrids } from "./grids.ts";

const TERMS = { pair: "btcidr", grid: 1, baseCurrency: "btc", quoteCurrency: "idr" } as const;
const BTCIDR: Grid = { ...TERMS, baseScale: 8, quoteScale: 2, tickSteps: 100_000n, lotSteps: 1_000n };

/** Grids as an admin may set them: any scales, any tick and lot. */
function randomGrids(seed: number): readonly Grid[] {
  const random = seededRandom(seed);
  const stepsUpTo = (scale: number) => BigInt(random.pick([1, 2, 5, 7, 25])) * 10n ** BigInt(random.between(0, scale));
  return Array.from({ length: 200 }, () => {
    const baseScale = random.between(0, 18);
    const quoteScale = random.between(0, 18);
    return { ...TERMS, baseScale, quoteScale, tickSteps: stepsUpTo(quoteScale), lotSteps: stepsUpTo(baseScale) };
  });
}

const GRIDS = [BTCIDR, ...randomGrids(17)];
const COUNTS = [1, 2, 9, 10, 1_000_001, 2 ** 31 - 1, Number.MAX_SAFE_INTEGER];

describe("prices and quantities of a grid", () => {
  it("come back as the same ticks and lots, from Redis and from a client", () => {
    for (const grid of GRIDS) {
      for (const count of COUNTS) {
        expect(ticksOf(priceText(count, grid), grid)).toBe(count);
        expect(lotsOf(quantityText(count, grid), grid)).toBe(count);
        expect(readTicks(priceText(count, grid), grid)).toEqual({ ok: true, value: count });
        expect(readLots(quantityText(count, grid), grid)).toEqual({ ok: true, value: count });
      }
    }
  });

  it("are written alike for one order and for the sum of many", () => {
    for (const grid of GRIDS)
      for (const lots of COUNTS) expect(quantityText(BigInt(lots), grid)).toBe(quantityText(lots, grid));
  });

  it("are refused one step off the grid, and the refusal names the tick or the lot", () => {
    for (const grid of GRIDS.filter(({ tickSteps, lotSteps }) => tickSteps > 1n && lotSteps > 1n)) {
      for (const off of [1n, -1n]) {
        const price = amountText(3n * grid.tickSteps + off, grid.quoteScale);
        const quantity = amountText(3n * grid.lotSteps + off, grid.baseScale);
        const tick = amountText(grid.tickSteps, grid.quoteScale);
        const lot = amountText(grid.lotSteps, grid.baseScale);
        expect(readTicks(price, grid)).toEqual({ ok: false, reason: `must be a multiple of the tick, ${tick}` });
        expect(readLots(quantity, grid)).toEqual({ ok: false, reason: `must be a multiple of the lot, ${lot}` });
        expect(() => ticksOf(price, grid)).toThrow("a whole number of ticks");
        expect(() => lotsOf(quantity, grid)).toThrow("a whole number of lots");
      }
    }
  });

  it("are refused beyond what a number counts exactly", () => {
    const first = amountText(BigInt(Number.MAX_SAFE_INTEGER + 1) * BTCIDR.tickSteps, BTCIDR.quoteScale);
    expect(readTicks(first, BTCIDR)).toEqual({ ok: false, reason: "is larger than can be traded" });
    expect(() => ticksOf(first, BTCIDR)).toThrow("a whole number of ticks");
  });

  it("may be 0 in Redis, where nothing is filled, and never from a client", () => {
    expect(lotsOf("0", BTCIDR)).toBe(0);
    expect(readLots("0", BTCIDR)).toEqual({ ok: false, reason: "must be more than 0" });
  });
});

it("a value is price times quantity, exactly", () => {
  expect(valueSteps({ ticks: 1_500_000, lots: 125 }, BTCIDR)).toBe(stepsOf("1875000", 2));
});

it("an average price is rounded down to a step of the quote currency", () => {
  const quantitySteps = 3n * BTCIDR.lotSteps;
  for (const [steps, price] of [
    [100n, "33333.33"],
    [99n, "33000"],
    [101n, "33666.66"],
  ] as const) {
    expect(averagePriceText({ valueSteps: steps, quantitySteps }, BTCIDR)).toBe(price);
  }
  expect(averagePriceText({ valueSteps: 0n, quantitySteps: 0n }, BTCIDR)).toBeNull();
});

describe("known grids", () => {
  const currencies = [
    { currency: "btc", scale: 8 },
    { currency: "idr", scale: 2 },
  ];
  const row = { ...TERMS, tickSteps: 100_000n, lotSteps: 1_000n };

  it("keep the earlier grids of a pair", () => {
    const grids = createGrids();
    grids.learn({ currencies, pairs: [row, { ...row, grid: 2, tickSteps: 5n }] });
    expect([grids.of("btcidr", 1), grids.of("btcidr", 2).tickSteps]).toEqual([BTCIDR, 5n]);
  });

  it("do not know a pair before both of its currencies", () => {
    const grids = createGrids();
    grids.learn({ currencies: currencies.slice(1), pairs: [row] });
    expect([grids.find("btcidr", 1), grids.findScale("btc"), grids.findScale("idr")]).toEqual([
      undefined,
      undefined,
      2,
    ]);
  });

  it("add to others without changing them", () => {
    const kept = createGrids();
    kept.learn({ currencies, pairs: [] });
    const more = createGrids(kept);
    more.learn({ currencies: [], pairs: [row] });
    expect([more.of("btcidr", 1), more.scaleOf("btc"), kept.find("btcidr", 1)]).toEqual([BTCIDR, 8, undefined]);
  });
});
