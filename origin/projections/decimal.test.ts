import { expect, it } from "vitest";
import { formatMoney, type Money } from "../../shared/money.ts";
import { decimal, decimalOfMultiple, stepsOf } from "./decimal.ts";

const MAX = BigInt(Number.MAX_SAFE_INTEGER);
const STEPS = [
  0n,
  1n,
  9n,
  10n,
  99n,
  100n,
  101n,
  123_450n,
  99_999_999n,
  100_000_000n,
  2_100_000_050n,
  MAX - 1n,
  MAX,
  MAX + 1n,
  MAX * 1_000n,
];

it("writes every amount as money is written, and reads it back", () => {
  for (const scale of [0, 2, 8, 18]) {
    for (const steps of STEPS) {
      const text = decimal(steps, scale);
      expect(text, `${steps} at ${scale}`).toBe(formatMoney(steps as Money, scale));
      expect(stepsOf(text, scale)).toBe(steps);
    }
  }
});

it("writes a multiple exactly, also where a number cannot hold it", () => {
  for (const count of [0, 1, 7, 1_500_001, Number.MAX_SAFE_INTEGER]) {
    for (const steps of [1n, 1_000n, 100_000n, MAX]) {
      expect(decimalOfMultiple(count, steps, 2)).toBe(formatMoney((BigInt(count) * steps) as Money, 2));
    }
  }
});
