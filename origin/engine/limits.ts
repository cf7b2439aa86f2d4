/** Every bound of the engine. A command beyond them is refused; nothing is dropped or cut silently. */

/**
 * Prices are kept in 32 bits. Two thousand million steps are enough for any price; a grid that needs more has the wrong
 * tick.
 */
export const TICKS_MAX = 2 ** 31 - 1;

/** Quantities are counted in doubles, exactly up to here. */
export const LOTS_MAX = Number.MAX_SAFE_INTEGER;

/** Per currency: no balance, and no sum of two, can pass 64 bits. */
export const STEPS_MAX = 2n ** 62n;

export const PPM = 1_000_000;

/** How long a client order id or a reference is remembered. */
export const REMEMBERED_MS = 24 * 60 * 60 * 1_000;

export const SCALE_MAX = 18;

/** Of an order with an expiry, from its command's time on: 366 days. */
export const EXPIRY_MS_MAX = 366 * 24 * 60 * 60 * 1_000;

/** Of the dead man's switch. */
export const CANCEL_AFTER_MS_MIN = 1_000;
export const CANCEL_AFTER_MS_MAX = 24 * 60 * 60 * 1_000;

/** Half of the price: a trailing order that is further away is a mistake. */
export const TRAILING_BPS_MAX = 5_000;

/** A thousand percent. A stop loss of 100 % or more has no price. */
export const TARGET_PROFIT_PPM_MAX = 10_000_000;

/** How far from its trigger price an order that trades at the market has funds for, if its pair has no band. */
export const MARKET_MARGIN_PPM = 50_000;

/** How long a signed request's nonce may be remembered, from its command's time on. */
export const NONCE_MS_MAX = 60_000;

/**
 * How much the engine holds, and how much it does at once. Engines that must reach the same state need the same bounds.
 */
export type EngineBounds = {
  readonly openOrdersMax: number;
  /** Commands that one user may name within 24 hours, counted by the hour. */
  readonly namesPerUserMax: number;
  /** Of signed requests that could still be sent again. */
  readonly noncesMax: number;
  readonly usersMax: number;
  readonly currenciesMax: number;
  readonly pairsMax: number;
  /** Orders that one command may meet in the book; the rest of it is cancelled then. */
  readonly fillsMax: number;
  /** Orders that one `cancelAll` takes out; its outcome says whether more are left. */
  readonly cancelsMax: number;
  /** Orders that one command meets, cancels or triggers beyond its own; the rest follows with the next command. */
  readonly workMax: number;
  /** Orders of a pair that trail its price: a better price rewrites the rows of all of them. */
  readonly trailingMax: number;
};

export const DEFAULT_BOUNDS: EngineBounds = {
  // 128 bytes each, reserved at the start and taken from the system as they are used.
  openOrdersMax: 2 ** 20,
  // Eleven a second around the clock; about 50 MB of Redis.
  namesPerUserMax: 1_000_000,
  // About 100 bytes each: 25,000 signed commands a second, remembered for 40 seconds.
  noncesMax: 1_000_000,
  usersMax: 2_000_000,
  currenciesMax: 1_000,
  pairsMax: 1_000,
  // Less than five milliseconds of work.
  fillsMax: 5_000,
  cancelsMax: 1_000,
  // Less than a millisecond of work, before the last order's own fills.
  workMax: 1_000,
  // A tenth of a millisecond when all of them follow the price.
  trailingMax: 1_000,
};
