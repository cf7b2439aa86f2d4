import { assert } from "./assert.ts";
import { fail, ok, type Result } from "./result.ts";

/**
 * An amount in the smallest step of its currency (a satoshi, a cent). Never a float: on the wire it is a decimal
 * string, in SQL a NUMERIC. How many decimals a currency has (its scale) is the caller's knowledge.
 */
export type Money = bigint & { readonly __brand: "Money" };

/** Where a division leaves a remainder, the caller says who bears it. `exact` refuses any remainder. */
export type Rounding = "down" | "up" | "exact";

/** 38 digits is what NUMERIC(38) holds; beyond it an amount is a mistake, not a fortune. */
const MONEY_MAX = 10n ** 38n - 1n;
const SCALE_MAX = 18;
const TEXT_LENGTH_MAX = 60;
const DECIMAL = /^(-?)(0|[1-9][0-9]*)(?:\.([0-9]+))?$/;

export type MoneyFault = "not_a_decimal" | "too_many_decimals" | "too_large";

/** Accepts only the plain spelling (`12`, `-0.5`): no signs of plus, exponents, spaces, leading zeros or other scripts' digits. */
export function parseMoney(text: string, scale: number): Result<Money, MoneyFault> {
  assertScale(scale);
  const match = text.length <= TEXT_LENGTH_MAX ? DECIMAL.exec(text) : null;
  if (match === null) return fail("not_a_decimal");
  const [, sign = "", whole = "", decimals = ""] = match;
  if (decimals.length > scale) return fail("too_many_decimals");
  const steps = BigInt(whole + decimals.padEnd(scale, "0"));
  if (steps > MONEY_MAX) return fail("too_large");
  return ok((sign === "-" ? -steps : steps) as Money);
}

/** The shortest plain spelling: `1.50` and `1.5` are one amount, so they are written alike. */
export function formatMoney(amount: Money, scale: number): string {
  assertScale(scale);
  const digits = (amount < 0n ? -amount : amount).toString().padStart(scale + 1, "0");
  const whole = digits.slice(0, digits.length - scale);
  const decimals = digits.slice(digits.length - scale).replace(/0+$/, "");
  const sign = amount < 0n ? "-" : "";
  return decimals === "" ? `${sign}${whole}` : `${sign}${whole}.${decimals}`;
}

type Fraction = { readonly numerator: bigint; readonly denominator: bigint };

/** `amount × numerator ÷ denominator`: a price times a quantity, or a fee rate times a value. */
export function multiplyMoney(amount: Money, by: Fraction, rounding: Rounding): Result<Money, "inexact" | "too_large"> {
  assert(by.denominator > 0n, "a fraction's denominator is positive");
  const product = amount * by.numerator;
  const quotient = product / by.denominator;
  const remainder = product % by.denominator;
  if (remainder !== 0n && rounding === "exact") return fail("inexact");
  const rounded = remainder === 0n ? quotient : roundAway(quotient, remainder, rounding);
  if (rounded > MONEY_MAX || rounded < -MONEY_MAX) return fail("too_large");
  return ok(rounded as Money);
}

/** bigint division cuts towards zero; `down` and `up` mean towards minus and plus infinity, for debts as for credits. */
function roundAway(quotient: bigint, remainder: bigint, rounding: Rounding): bigint {
  if (rounding === "down") return remainder < 0n ? quotient - 1n : quotient;
  return remainder > 0n ? quotient + 1n : quotient;
}

function assertScale(scale: number): void {
  assert(Number.isInteger(scale) && scale >= 0 && scale <= SCALE_MAX, `scale ${scale} is outside 0..${SCALE_MAX}`);
}
