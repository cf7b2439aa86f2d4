/** Time and chance, passed in. */
export type Machine = { readonly nowMs: () => number; readonly random: () => number };

const FIRST_MS = 1_000;
const LAST_MS = 30_000;

/**
 * Twice as long after each failure, up to a bound, and anywhere in the second half of it: a crowd does not come back at
 * once.
 */
export function backOff(failures: number, { random }: Machine): number {
  return Math.min(LAST_MS, FIRST_MS * 2 ** Math.min(failures, 10)) * (0.5 + random() / 2);
}
