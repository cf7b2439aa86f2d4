/** Every bound of the engine. Beyond them a command is refused; nothing is dropped or cut without a word. */

/** Prices are kept in 32 bits. Two thousand million steps are enough for any price; a grid that needs more has the wrong tick. */
export const TICKS_MAX = 2 ** 31 - 1;

/** Quantities are counted in doubles, exactly up to here. */
export const LOTS_MAX = Number.MAX_SAFE_INTEGER;

/** Per currency: no balance, and no sum of two, can pass 64 bits. */
export const STEPS_MAX = 2n ** 62n;

export const PPM = 1_000_000;

/** Orders that one command may meet in the book. About a millisecond of work; the rest of the order is cancelled. */
export const FILLS_MAX = 10_000;

/** Orders that one `cancelAll` takes out; its outcome says whether more are left. */
export const CANCELS_MAX = 1_000;

/** How long a client order id or a reference is remembered. */
export const REMEMBERED_MS = 24 * 60 * 60 * 1_000;

/** About 120 bytes each. */
export const REFERENCES_MAX = 4_000_000;

/** About 110 bytes each, reserved at the start and taken from the system as they are used. */
export const OPEN_ORDERS_MAX = 2 ** 20;

export const USERS_MAX = 2_000_000;
export const CURRENCIES_MAX = 1_000;
export const PAIRS_MAX = 1_000;
export const SCALE_MAX = 18;
