import { describe, expect, it } from "vitest";
import { divideRounded, readDecimal, stepsOfDecimal } from "./read-decimal.ts";

const SEPARATORS = [",", "٬"];
const ONE = { numerator: 1n, denominator: 1n };
const read = (text: string) => {
  const decimal = readDecimal(text, SEPARATORS);
  return decimal.ok ? stepsOfDecimal(decimal.value, ONE, 4) : decimal.reason;
};

describe("a number of a provider", () => {
  it.each([
    ["1135200", 11_352_000_000n],
    ["1,064,500", 10_645_000_000n],
    ["۱٬۳۱۴٬۵۰۰", 13_145_000_000n],
    ["١٢٣٫٥", 1_235_000n],
    [" 4,078.40 ", 40_784_000n],
    ["+0.14", 1_400n],
    ["-0.31", -3_100n],
    ["\u200e\u22120.5", -5_000n],
    ["2.22E-4", 2n],
    ["1e3", 10_000_000n],
    ["0", 0n],
    ["118250.57", 1_182_505_700n],
    ["0.00005", 1n],
    ["99999999999999999999.9999", 999_999_999_999_999_999_999_999n],
  ])("%s is read exactly", (text, steps) => {
    expect(read(text)).toBe(steps);
  });

  it.each([
    "1,5",
    "1,06",
    "12,34,567",
    "1.135.200",
    "0x10",
    "NaN",
    "Infinity",
    "1 000 000",
    "--1",
    "1,000٬000",
    "1e99",
    "9".repeat(80),
    "12abc",
    ".",
  ])("%s is no number", (text) => {
    expect(read(text)).toBe("not_a_number");
  });

  it("is empty where there is nothing to read", () => {
    expect(["", "  ", "\u200f"].map(read)).toEqual(["empty", "empty", "empty"]);
  });

  it("is rounded half away from zero", () => {
    expect([divideRounded(5n, 10n), divideRounded(-5n, 10n), divideRounded(4n, 10n), divideRounded(15n, -10n)]).toEqual(
      [1n, -1n, 0n, -2n],
    );
  });
});
