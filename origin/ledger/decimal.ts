import { assert } from "../../shared/assert.ts";

/** Smallest steps as an exact decimal, always with all places of its currency: the ledger's hash is made of such texts. */
export function decimalOf(steps: bigint, scale: number): string {
  if (scale === 0) return steps.toString();
  const digits = (steps < 0n ? -steps : steps).toString().padStart(scale + 1, "0");
  return `${steps < 0n ? "-" : ""}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}

/** The way back. A text with other places than the currency's is not one of ours. */
export function stepsOf(decimal: string, scale: number): bigint {
  const places = decimal.includes(".") ? decimal.length - decimal.indexOf(".") - 1 : 0;
  assert(places === scale, `${decimal} has ${scale} places`);
  return BigInt(decimal.replace(".", ""));
}
