import { describe, expect, it } from "vitest";
import { seededRandom } from "../../kit/random.ts";
import { formatMoney, type Money } from "../../shared/money.ts";
import { amountText, ledgerText, multipleText, rateText, readAmount, readRate, stepsOf } from "./amounts.ts";

const SCALES = [0, 1, 2, 6, 8, 18] as const;
const MAX = BigInt(Number.MAX_SAFE_INTEGER);
const EDGES = [
  0n,
  1n,
  9n,
  10n,
  99n,
  100n,
  101n,
  123_450n,
  99_999_999n,
  2_100_000_050n,
  MAX - 1n,
  MAX,
  MAX + 1n,
  MAX * 1_000n,
];

/** Amounts of every length up to 19 digits, with runs of zeros at their end as often as not. */
function randomAmounts(seed: number, count: number): readonly bigint[] {
  const random = seededRandom(seed);
  return Array.from({ length: count }, () => {
    const digits = Array.from({ length: random.between(1, 19) }, () => random.between(0, 9));
    return BigInt(digits.join("")) * 10n ** BigInt(random.chance(0.5) ? random.between(0, 9) : 0);
  });
}

const AMOUNTS = [...EDGES, ...randomAmounts(17, 500)];

describe("an amount as text", () => {
  it("comes back as the same steps from either spelling, for gains and losses", () => {
    for (const scale of SCALES) {
      for (const steps of AMOUNTS.flatMap((amount) => [amount, -amount])) {
        expect(stepsOf(amountText(steps, scale), scale), `${steps} at ${scale}`).toBe(steps);
        expect(stepsOf(ledgerText(steps, scale), scale), `${steps} at ${scale}`).toBe(steps);
      }
    }
  });

  it("has the shortest spelling on the wire, also beyond what a number holds", () => {
    for (const scale of SCALES) {
      for (const steps of AMOUNTS) expect(amountText(steps, scale)).toBe(formatMoney(steps as Money, scale));
    }
    expect(amountText(150n, 2)).toBe("1.5");
  });

  it("has all decimals of its currency in the ledger", () => {
    expect([ledgerText(150n, 2), ledgerText(-5n, 2), ledgerText(0n, 2), ledgerText(7n, 0)]).toEqual([
      "1.50",
      "-0.05",
      "0.00",
      "7",
    ]);
  });

  it("is exact for a multiple, also where a number cannot hold the product", () => {
    for (const count of [0, 1, 7, 1_500_001, Number.MAX_SAFE_INTEGER]) {
      for (const unit of [1n, 1_000n, 100_000n, MAX])
        expect(multipleText(count, unit, 2)).toBe(amountText(BigInt(count) * unit, 2));
    }
  });

  it("is refused when it has more decimals than its currency", () => {
    for (const scale of SCALES.slice(0, -1)) {
      const tooFine = `1.${"0".repeat(scale)}1`;
      expect(() => stepsOf(tooFine, scale)).toThrow(`at most ${scale} decimals`);
      expect(readAmount(tooFine, scale)).toEqual({ ok: false, reason: `must have at most ${scale} decimals` });
    }
  });
});

describe("an amount from a client", () => {
  it("is read as the steps that the venue would write", () => {
    for (const scale of SCALES) {
      for (const steps of AMOUNTS.filter((amount) => amount > 0n)) {
        expect(readAmount(amountText(steps, scale), scale)).toEqual({ ok: true, value: steps });
      }
    }
  });

  it.each(["0", "-0", "0.00", "-1"])("is refused when it is not more than 0: %j", (text) => {
    expect(readAmount(text, 2)).toEqual({ ok: false, reason: "must be more than 0" });
  });
});

describe("a rate", () => {
  it("comes back as the same parts per million", () => {
    for (const ppm of [0, 1, 10, 999, 1_000, 123_456, 999_999, 1_000_000])
      expect(readRate(rateText(ppm))).toEqual({ ok: true, value: ppm });
  });

  it.each(["-0.1", "1.000001", "0.0000001", "1e-3", ""])(
    "is refused outside 0 to 1 or with more than 6 decimals: %j",
    (text) => {
      expect(readRate(text)).toEqual({ ok: false, reason: "must be a decimal from 0 to 1 with at most 6 decimals" });
    },
  );
});
