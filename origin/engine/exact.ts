import { PPM } from "./limits.ts";

/** The arithmetic of a pair. Everything is exact; what has to be rounded says which way. */
export type Grid = {
  /** What one tick times one lot is worth, in steps of the quote currency. */
  readonly unitSteps: bigint;
  readonly lotSteps: bigint;
};

const PPM_BIG = BigInt(PPM);

/** In steps of the quote currency. */
export function valueAt({ unitSteps }: Grid, { ticks, lots }: { readonly ticks: number; readonly lots: number }): bigint {
  return BigInt(ticks) * BigInt(lots) * unitSteps;
}

/** In steps of the base currency. */
export function quantityOf({ lotSteps }: Grid, lots: number): bigint {
  return BigInt(lots) * lotSteps;
}

/** Rounded up, in favour of the house: a fee is never escaped by trading in small parts, and never more than what was received. */
export function feeOf(received: bigint, ppm: number): bigint {
  return (received * BigInt(ppm) + PPM_BIG - 1n) / PPM_BIG;
}

/** Rounded down: what the amount pays for in whole lots. */
export function lotsFor({ unitSteps }: Grid, { amount, ticks }: { readonly amount: bigint; readonly ticks: number }): bigint {
  return amount / (BigInt(ticks) * unitSteps);
}

/** How far from the last price an order may trade, rounded down, in favour of caution. */
export function bandTicks({ lastTicks, bandPpm }: { readonly lastTicks: number; readonly bandPpm: number }): number {
  return Math.floor((lastTicks * bandPpm) / PPM);
}
