import { assert } from "../../shared/assert.ts";
import { formatMoney, type Money, parseMoney } from "../../shared/money.ts";

/** Steps of a currency as a decimal string, as `formatMoney` writes it; quicker where a number is exact, which is nearly always. */
export function decimal(steps: bigint, scale: number): string {
  return steps < 0n || steps > NUMBER_MAX ? formatMoney(steps as Money, scale) : decimalOfNumber(Number(steps), scale);
}

/** So many times as many steps. */
export function decimalOfMultiple(count: number, steps: bigint, scale: number): string {
  const product = count * Number(steps);
  // A product that a number can hold is exact, and so was each factor.
  return product <= Number.MAX_SAFE_INTEGER ? decimalOfNumber(product, scale) : decimal(BigInt(count) * steps, scale);
}

function decimalOfNumber(steps: number, scale: number): string {
  const unit = 10 ** scale;
  let rest = steps % unit;
  if (rest === 0) return String(steps / unit);
  const whole = (steps - rest) / unit;
  let digits = scale;
  for (; rest % 10 === 0; digits--) rest /= 10;
  return `${whole}.${String(rest).padStart(digits, "0")}`;
}

const NUMBER_MAX = BigInt(Number.MAX_SAFE_INTEGER);

/** What `decimal` wrote, as steps again. */
export function stepsOf(text: string, scale: number): bigint {
  const parsed = parseMoney(text, scale);
  assert(parsed.ok, "an amount in Redis is one that we wrote");
  return parsed.value;
}
