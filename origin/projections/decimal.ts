import { assert } from "../../shared/assert.ts";
import { formatMoney, type Money, parseMoney } from "../../shared/money.ts";

/** Steps of a currency as a decimal string, as `formatMoney` writes it; quicker where a number is exact, which is nearly always. */
export function decimal(steps: bigint, scale: number): string {
  if (steps === 0n) return "0";
  if (steps < 0n || steps > NUMBER_MAX) return formatMoney(steps as Money, scale);
  const digits = String(Number(steps)).padStart(scale + 1, "0");
  const whole = digits.slice(0, digits.length - scale);
  let end = digits.length;
  while (end > whole.length && digits.charCodeAt(end - 1) === ZERO) end--;
  return end === whole.length ? whole : `${whole}.${digits.slice(whole.length, end)}`;
}

const NUMBER_MAX = BigInt(Number.MAX_SAFE_INTEGER);
const ZERO = 48;

/** What `decimal` wrote, as steps again. */
export function stepsOf(text: string, scale: number): bigint {
  const parsed = parseMoney(text, scale);
  assert(parsed.ok, "an amount in Redis is one that we wrote");
  return parsed.value;
}
