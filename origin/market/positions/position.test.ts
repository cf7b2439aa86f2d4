import { describe, expect, it } from "vitest";
import { seededRandom } from "../../../kit/random.ts";
import {
  averageEntryOf,
  NO_POSITION,
  type Position,
  type PositionTrade,
  positionAfter,
  positionFrom,
  positionText,
  unrealisedAt,
} from "./position.ts";

const SCALES = { baseScale: 2, quoteScale: 2 };
const positionOf = (...trades: readonly PositionTrade[]) => trades.reduce(positionAfter, NO_POSITION);
const buy = (quantity: bigint, value: bigint, fee = 0n): PositionTrade => ({ side: "buy", quantity, value, fee });
const sell = (quantity: bigint, value: bigint, fee = 0n): PositionTrade => ({ side: "sell", quantity, value, fee });

describe("a position", () => {
  it("has the average of its purchases as entry, with the fee in it", () => {
    const position = positionOf(buy(1_000n, 10_000n, 10n), buy(1_000n, 20_000n, 10n));
    expect([position.quantity, position.cost, position.baseFees]).toEqual([1_980n, 30_000n, 20n]);
    expect(averageEntryOf(position, SCALES)).toBe(1_515n);
  });

  it("realises the difference to the share of its cost, less the seller's fee", () => {
    const position = positionOf(buy(1_000n, 10_000n), sell(400n, 6_000n, 60n));
    expect(position).toEqual({
      quantity: 600n,
      cost: 6_000n,
      realised: 1_940n,
      baseFees: 0n,
      quoteFees: 60n,
      trades: 2,
    });
    expect(unrealisedAt(position, 2_000n, SCALES)).toBe(6_000n);
  });

  it("is short when more was sold than bought, and gains when the price falls", () => {
    const position = positionOf(sell(500n, 10_000n));
    expect([position.quantity, position.cost, averageEntryOf(position, SCALES)]).toEqual([-500n, -10_000n, 2_000n]);
    expect(unrealisedAt(position, 1_500n, SCALES)).toBe(2_500n);
    expect(positionAfter(position, buy(500n, 7_500n))).toMatchObject({ quantity: 0n, cost: 0n, realised: 2_500n });
  });

  it("turns through zero: the old one is closed, the rest opens the opposite one", () => {
    const position = positionOf(buy(100n, 1_000n), sell(300n, 4_500n));
    expect(position).toMatchObject({ quantity: -200n, cost: -3_000n, realised: 500n });
  });

  it.each([1, 2, 3])("accounts for every unit that was paid or received (seed %i)", (seed) => {
    const random = seededRandom(seed);
    let position: Position = NO_POSITION;
    let paid = 0n;
    for (let step = 0; step < 3_000; step++) {
      const side = random.pick<"buy" | "sell">(["buy", "sell"]);
      const quantity = BigInt(random.between(1, 1_000));
      const value = BigInt(random.between(1, 100_000));
      const fee = BigInt(random.between(0, Number(side === "buy" ? quantity : value)));
      position = positionAfter(position, { side, quantity, value, fee });
      paid += side === "buy" ? value : fee - value;
      expect(position.cost - position.realised).toBe(paid);
      if (position.quantity === 0n) expect(position.cost).toBe(0n);
    }
    expect(positionFrom(positionText(position, SCALES), SCALES)).toEqual(position);
  });
});
