import { assert } from "../../shared/assert.ts";

/** A number where it is exact, because reading and writing one costs a fraction of what a bigint's digits cost. */
export function amountField(amount: bigint): string | number {
  return amount <= NUMBER_MAX && amount >= -NUMBER_MAX ? Number(amount) : amount.toString();
}

const NUMBER_MAX = BigInt(Number.MAX_SAFE_INTEGER);

export function amountFrom(field: unknown): bigint {
  assert(typeof field === "number" || typeof field === "string", "an amount is a number or its digits");
  return BigInt(field);
}
