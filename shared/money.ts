import { assert } from "./assert.ts";
import { fail, ok, type Result } from "./result.ts";

/**
 * An amount in the smallest step of its currency (a satoshi, a cent). Never a float: on the wire it is a decimal
 * string, in SQL a NUMERIC. The caller knows the currency's number of decimals (its scale).
 */
export type Money = bigint & { readonly __brand: "Money" };

/** 38 digits is what NUMERIC(38) holds; beyond it an amount is a mistake, not a fortune. */
const MONEY_MAX = 10n ** 38n - 1n;
const SCALE_MAX = 18;
const TEXT_LENGTH_MAX = 60;
const DECIMAL = /^(-?)(0|[1-9][0-9]*)(?:\.([0-9]+))?$/;

export type MoneyFault = "not_a_decimal" | "too_many_decimals" | "too_large";

/**
 * Accepts only the plain spelling (`12`, `-0.5`): no signs of plus, exponents, spaces, leading zeros or other scripts'
 * digits.
 */
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

function assertScale(scale: number): void {
  assert(Number.isInteger(scale) && scale >= 0 && scale <= SCALE_MAX, `scale ${scale} is outside 0..${SCALE_MAX}`);
}
