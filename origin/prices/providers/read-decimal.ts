import { fail, ok, type Result } from "../../../shared/result.ts";
import { latinDigits } from "../calendar/jalali.ts";

/**
 * Numbers as providers write them: thousands separators, Persian or Arabic digits, a sign, an exponent. The value is
 * exact: an integer and a power of ten. No float is involved at any point.
 */
export type Decimal = {
  readonly digits: bigint;
  /** The value is `digits / 10 ** scale`. */
  readonly scale: number;
};

export type NumberFault = "empty" | "not_a_number";

const TEXT_LENGTH_MAX = 60;
const EXPONENT_MAX = 40;
const NUMBER = /^([+-]?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,3}))?$/;
/** Signs of direction and invisible spaces that copied texts contain; U+066B is the Persian decimal point. */
const INVISIBLE = /[\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g;
const MINUS = /[\u2212\u2010-\u2013]/g;
const SPACES = /[\s\u00a0\u202f]/g;

export function readDecimal(text: string, thousands: readonly string[]): Result<Decimal, NumberFault> {
  const plain = latinDigits(text.replaceAll(INVISIBLE, "").trim()).replaceAll("\u066b", ".").replaceAll(MINUS, "-");
  if (plain === "") return fail("empty");
  if (plain.length > TEXT_LENGTH_MAX) return fail("not_a_number");
  const ungrouped = withoutGroups(plain.replaceAll(SPACES, " "), thousands);
  const [, sign = "", whole, decimals = "", exponentText = "0"] = NUMBER.exec(ungrouped ?? "") ?? [];
  const exponent = Number(exponentText);
  if (whole === undefined || Math.abs(exponent) > EXPONENT_MAX) return fail("not_a_number");
  const digits = BigInt(whole + decimals) * (sign === "-" ? -1n : 1n);
  const scale = decimals.length - exponent;
  return ok(scale >= 0 ? { digits, scale } : { digits: digits * 10n ** BigInt(-scale), scale: 0 });
}

/**
 * Separators only count between groups of three digits: in `1,5` the comma is a decimal point, and reading 15 would be
 * a price that is ten times too high.
 */
function withoutGroups(text: string, thousands: readonly string[]): string | undefined {
  const used = thousands.filter((separator) => text.includes(separator));
  if (used.length === 0) return text;
  const [separator = ""] = used;
  const [, sign = "", whole = "", rest = ""] = /^([+-]?)([^.eE]*)(.*)$/.exec(text) ?? [];
  const [first = "", ...groups] = whole.split(separator);
  const isGrouped = /^\d{1,3}$/.test(first) && groups.length > 0 && groups.every((group) => /^\d{3}$/.test(group));
  return used.length === 1 && isGrouped && !rest.includes(separator)
    ? sign + first + groups.join("") + rest
    : undefined;
}

/** A fraction of whole numbers. */
export type Ratio = { readonly numerator: bigint; readonly denominator: bigint };

/** `value × factor` in steps of `10 ** -decimals`, half a step rounded away from zero. */
export function stepsOfDecimal({ digits, scale }: Decimal, factor: Ratio, decimals: number): bigint {
  return divideRounded(digits * factor.numerator * 10n ** BigInt(decimals), factor.denominator * 10n ** BigInt(scale));
}

/** Half away from zero. */
export function divideRounded(dividend: bigint, divisor: bigint): bigint {
  const isNegative = dividend < 0n !== divisor < 0n;
  const [above, below] = [dividend < 0n ? -dividend : dividend, divisor < 0n ? -divisor : divisor];
  const rounded = (above * 2n + below) / (below * 2n);
  return isNegative ? -rounded : rounded;
}
