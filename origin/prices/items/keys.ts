/** Keys of tracked prices in the venue's Redis, described in `docs/redis-keys.md`. One hash tag: one slot. */
const PRICES = "v1:{prices}";

/** Hash: `revision` and `body`, the board as JSON. */
export const BOARD_KEY = `${PRICES}:board`;
/** Hash: the fresh requests of a user or an address in the current window. */
export const quotaKey = (identity: string) => `${PRICES}:quota:${identity}`;
/** Sorted set: identity to its fresh requests in the current window. */
export const USAGE_KEY = `${PRICES}:usage`;
