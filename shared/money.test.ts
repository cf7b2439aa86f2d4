import { describe, expect, it } from "vitest";
import { formatMoney, type Money, parseMoney } from "./money.ts";

describe("parseMoney", () => {
  it("reads the plain spelling into smallest steps", () => {
    expect(parseMoney("12.5", 2)).toEqual({ ok: true, value: 1250n });
    expect(parseMoney("-0.01", 2)).toEqual({ ok: true, value: -1n });
    expect(parseMoney("0", 8)).toEqual({ ok: true, value: 0n });
    expect(parseMoney("9007199254740993", 0)).toEqual({ ok: true, value: 9007199254740993n });
  });

  it.each(["", " 12 ", "+1", "0x10", "1e3", "1.", ".5", "01", "--1", "1,5", "١٢", "Infinity", "1_000", "12\n"])(
    "refuses %j as not a decimal",
    (text) => {
      expect(parseMoney(text, 2)).toEqual({ ok: false, reason: "not_a_decimal" });
    },
  );

  it("refuses more decimals than the currency has, even zeros", () => {
    expect(parseMoney("1.000", 2)).toEqual({ ok: false, reason: "too_many_decimals" });
  });

  it("refuses what NUMERIC(38) cannot hold, and accepts the last amount that it can", () => {
    expect(parseMoney("9".repeat(38), 0)).toEqual({ ok: true, value: 10n ** 38n - 1n });
    expect(parseMoney(`1${"0".repeat(38)}`, 0)).toEqual({ ok: false, reason: "too_large" });
  });

  it("reads minus zero as zero", () => {
    expect(parseMoney("-0", 2)).toEqual({ ok: true, value: 0n });
  });
});

describe("formatMoney", () => {
  it.each([
    [1250n, 2, "12.5"],
    [-1n, 8, "-0.00000001"],
    [0n, 2, "0"],
    [100n, 0, "100"],
    [-100n, 2, "-1"],
  ])("writes %d steps at scale %d as %s", (steps, scale, text) => {
    expect(formatMoney(steps as Money, scale)).toBe(text);
    expect(parseMoney(text, scale)).toEqual({ ok: true, value: steps });
  });
});
