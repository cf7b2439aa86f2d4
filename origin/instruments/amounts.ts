import { assert } from "../../shared/assert.ts";
import { formatMoney, type Money, parseMoney } from "../../shared/money.ts";
import { fail, ok, type Result } from "../../shared/result.ts";

/**
 * Amounts of a currency: whole steps in the engine, decimal text everywhere else. `scale` is the number of decimals of
 * the currency. Every conversion is exact; text that falls between two steps is refused, never rounded.
 */

/**
 * The shortest spelling, as in `1.5`: on the wire and in Redis. Avoids `bigint` for amounts that a number holds
 * exactly.
 */
export function amountText(steps: bigint, scale: number): string {
  return steps < 0n || steps > NUMBER_MAX ? formatMoney(steps as Money, scale) : numberText(Number(steps), scale);
}

/** `count × unit` steps in the shortest spelling. */
export function multipleText(count: number, unit: bigint, scale: number): string {
  const product = count * Number(unit);
  // A product that a number holds exactly has factors that a number holds exactly.
  return product <= Number.MAX_SAFE_INTEGER ? numberText(product, scale) : amountText(BigInt(count) * unit, scale);
}

/** All decimals of the currency, as in `1.50000000`: in the ledger, whose hash chain covers these texts. */
export function ledgerText(steps: bigint, scale: number): string {
  if (scale === 0) return steps.toString();
  const digits = (steps < 0n ? -steps : steps).toString().padStart(scale + 1, "0");
  return `${steps < 0n ? "-" : ""}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}

/** The steps of a text that the venue wrote, in either spelling. */
export function stepsOf(text: string, scale: number): bigint {
  const parsed = parseMoney(text, scale);
  assert(parsed.ok, `a stored amount is a decimal with at most ${scale} decimals`);
  return parsed.value;
}

/** The steps of an amount that a client sent: more than 0, or the rule that it breaks. */
export function readAmount(
  text: unknown,
  scale: number,
  tooFine = () => `must have at most ${scale} decimals`,
): Result<bigint, string> {
  if (typeof text !== "string") return fail('must be a decimal number in a string, as in "0.25"');
  const parsed = parseMoney(text, scale);
  if (parsed.ok) return parsed.value > 0n ? ok(parsed.value) : fail("must be more than 0");
  return fail(parsed.reason === "too_many_decimals" ? tooFine() : SENTENCES[parsed.reason]);
}

export const TOO_LARGE = "is larger than can be traded";

const SENTENCES = {
  not_a_decimal:
    "must be a plain decimal number: digits 0 to 9 and at most one point, without sign, exponent or spaces",
  too_large: TOO_LARGE,
} as const;

const PPM_SCALE = 6;

/** Parts per million as a decimal: `0.001` is 1,000 of them. */
export function rateText(ppm: number): string {
  return numberText(ppm, PPM_SCALE);
}

export function readRate(text: string): Result<number, string> {
  const parsed = parseMoney(text, PPM_SCALE);
  if (!parsed.ok || parsed.value < 0n || parsed.value > BigInt(10 ** PPM_SCALE)) {
    return fail(`must be a decimal from 0 to 1 with at most ${PPM_SCALE} decimals`);
  }
  return ok(Number(parsed.value));
}

const PERCENT_SCALE = 4;

/** Parts per million as a percentage: `0.1` is 1,000 of them. */
export function percentText(ppm: number): string {
  return numberText(ppm, PERCENT_SCALE);
}

/** Any percentage, as parts per million; the caller knows which are allowed. */
export function readPercent(text: string): Result<number, string> {
  const parsed = parseMoney(text, PERCENT_SCALE);
  if (parsed.ok && parsed.value >= -NUMBER_MAX && parsed.value <= NUMBER_MAX) return ok(Number(parsed.value));
  return fail(`must be a decimal number of percent with at most ${PERCENT_SCALE} decimals`);
}

const NUMBER_MAX = BigInt(Number.MAX_SAFE_INTEGER);

function numberText(steps: number, scale: number): string {
  const unit = 10 ** scale;
  let rest = steps % unit;
  if (rest === 0) return String(steps / unit);
  const whole = (steps - rest) / unit;
  let digits = scale;
  for (; rest % 10 === 0; digits--) rest /= 10;
  return `${whole}.${String(rest).padStart(digits, "0")}`;
}
