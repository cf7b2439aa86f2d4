import { describe, expect, test } from "vitest";
import { type Random, seededRandom } from "../../../kit/random.ts";
import { type AuctionBook, type AuctionLevel, type Clearing, clearingOf } from "./clearing-price.ts";

const level = (ticks: number, lots: number): AuctionLevel => ({ ticks, lots: BigInt(lots) });

describe("the clearing price", () => {
  test("is the price at which the most can be traded", () => {
    const buys = [level(105, 5), level(103, 10), level(100, 20)];
    const sells = [level(98, 6), level(101, 7), level(104, 30)];
    expect(clearingOf({ buys, sells, referenceTicks: 90 })).toEqual({ ticks: 103, lots: 13n, surplus: 2n });
  });

  test("leaves the smallest surplus among prices of the same volume", () => {
    const buys = [level(105, 10)];
    const sells = [level(100, 10), level(103, 4)];
    expect(clearingOf({ buys, sells, referenceTicks: 105 })).toEqual({ ticks: 102, lots: 10n, surplus: 0n });
  });

  test("is the highest with a surplus of buyers, the lowest with a surplus of sellers", () => {
    expect(clearingOf({ buys: [level(105, 12)], sells: [level(100, 10)], referenceTicks: 90 })).toEqual({
      ticks: 105,
      lots: 10n,
      surplus: 2n,
    });
    expect(clearingOf({ buys: [level(105, 10)], sells: [level(100, 12)], referenceTicks: 200 })).toEqual({
      ticks: 100,
      lots: 10n,
      surplus: -2n,
    });
  });

  test("is the nearest to the reference price, and in the middle without one", () => {
    const book = { buys: [level(105, 10)], sells: [level(100, 10)] };
    const ticksAt = (referenceTicks: number) => clearingOf({ ...book, referenceTicks })?.ticks;
    expect([ticksAt(90), ticksAt(101), ticksAt(105), ticksAt(300), ticksAt(0)]).toEqual([100, 101, 105, 105, 102]);
  });

  test("of equal surpluses on both sides, is on the side of the reference price", () => {
    const book = { buys: [level(110, 10), level(103, 4)], sells: [level(90, 10), level(104, 4)] };
    const ticksAt = (referenceTicks: number) => clearingOf({ ...book, referenceTicks })?.ticks;
    expect([ticksAt(50), ticksAt(103), ticksAt(104), ticksAt(500), ticksAt(0)]).toEqual([103, 103, 104, 104, 103]);
  });

  test("does not exist where no buyer meets a seller", () => {
    expect(clearingOf({ buys: [level(99, 5)], sells: [level(100, 5)], referenceTicks: 99 })).toBeUndefined();
    expect(clearingOf({ buys: [], sells: [level(100, 5)], referenceTicks: 99 })).toBeUndefined();
  });

  test("is what a search through every price finds, in 3,000 random books", () => {
    const random = seededRandom(18);
    for (let book = 0; book < 3_000; book++) {
      const any = anyBook(random);
      expect(
        clearingOf(any),
        JSON.stringify(any, (_, value) => (typeof value === "bigint" ? Number(value) : value)),
      ).toEqual(searched(any));
    }
  });
});

function anyBook(random: Random): AuctionBook {
  const side = (sign: number) =>
    [...new Set(Array.from({ length: random.between(0, 6) }, () => random.between(1, 14)))]
      .sort((a, b) => sign * (a - b))
      .map((ticks) => level(ticks, random.between(1, 4)));
  return { buys: side(-1), sells: side(1), referenceTicks: random.between(0, 16) };
}

/** Every price is tried, and each rule leaves the best of those that are left. */
function searched({ buys, sells, referenceTicks }: AuctionBook): Clearing | undefined {
  let left = Array.from({ length: 20 }, (_, ticks) => {
    const demand = buys.reduce((sum, one) => (one.ticks >= ticks ? sum + one.lots : sum), 0n);
    const supply = sells.reduce((sum, one) => (one.ticks <= ticks ? sum + one.lots : sum), 0n);
    return { ticks, lots: demand < supply ? demand : supply, surplus: demand - supply };
  });
  const keepLeast = (of: (one: Clearing) => number) => {
    const least = Math.min(...left.map(of));
    left = left.filter((one) => of(one) === least);
  };
  keepLeast(({ lots }) => -Number(lots));
  if (left[0]?.lots === 0n) return undefined;
  keepLeast(({ surplus }) => Math.abs(Number(surplus)));
  const highestOfBuyers = Math.max(...left.filter(({ surplus }) => surplus > 0n).map(({ ticks }) => ticks));
  const lowestOfSellers = Math.min(...left.filter(({ surplus }) => surplus < 0n).map(({ ticks }) => ticks));
  left = left.filter(
    ({ ticks, surplus }) =>
      surplus === 0n || (surplus > 0n && ticks === highestOfBuyers) || (surplus < 0n && ticks === lowestOfSellers),
  );
  const middle = Math.floor(((left[0]?.ticks ?? 0) + (left.at(-1)?.ticks ?? 0)) / 2);
  keepLeast(({ ticks }) => Math.abs(ticks - (referenceTicks === 0 ? middle : referenceTicks)));
  return left[0];
}
