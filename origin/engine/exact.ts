import { PPM } from "./limits.ts";

/** The arithmetic of a pair. Everything is exact; each rounding names its direction. */
type PairUnits = {
  /** The value of one tick times one lot, in steps of the quote currency. */
  readonly unitSteps: bigint;
  readonly lotSteps: bigint;
};

const PPM_BIG = BigInt(PPM);

/** In steps of the quote currency. */
export function valueAt(
  { unitSteps }: PairUnits,
  { ticks, lots }: { readonly ticks: number; readonly lots: number },
): bigint {
  return toBigInt(ticks) * toBigInt(lots) * unitSteps;
}

/** In steps of the base currency. */
export function quantityOf({ lotSteps }: PairUnits, lots: number): bigint {
  return toBigInt(lots) * lotSteps;
}

/**
 * Rounded up, in favour of the house: trading in small parts does not avoid a fee, and a fee never exceeds the amount
 * received.
 */
export function feeOf(received: bigint, ppm: number): bigint {
  return (received * toBigInt(ppm) + PPM_BIG - 1n) / PPM_BIG;
}

/** Rounded down: the whole lots that the amount pays for. */
export function lotsFor(
  { unitSteps }: PairUnits,
  { amount, ticks }: { readonly amount: bigint; readonly ticks: number },
): bigint {
  return amount / (toBigInt(ticks) * unitSteps);
}

/** How far from the last price an order may trade, rounded down to the safe side. */
export function bandTicks({ lastTicks, bandPpm }: { readonly lastTicks: number; readonly bandPpm: number }): number {
  return Math.floor((lastTicks * bandPpm) / PPM);
}

/**
 * Numbers of 32 bits, which nearly all are, become 64-bit integers without an allocation; others take the slow path.
 */
function toBigInt(value: number): bigint {
  const small = value | 0;
  return small === value ? BigInt(small) : BigInt(value);
}
