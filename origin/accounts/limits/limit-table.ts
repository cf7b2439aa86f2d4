/**
 * All rate limits, in one table. A burst can be used at once and refills at the rate.
 *
 * Limits against guessing are counted in Redis, for all processes together. Limits that protect a process are counted
 * in that process only, without a round trip; several processes allow as many times more.
 */
export type LimitRule = { readonly burst: number; readonly perSecond: number };

const HOUR_SECONDS = 3_600;

/** In Redis; each comment names what is counted. */
export const STORE_LIMITS = {
  /** New accounts, by address: an office creates many, a script more. */
  register: { burst: 50, perSecond: 100 / HOUR_SECONDS },
  /** Wrong passwords, by address. Right ones are given back. */
  loginAddress: { burst: 60, perSecond: 240 / HOUR_SECONDS },
  /** Wrong passwords for one account from one address. */
  loginPair: { burst: 10, perSecond: 60 / HOUR_SECONDS },
  /** Wrong passwords for one account from all addresses that its owner has never signed in from. */
  loginAccount: { burst: 50, perSecond: 100 / HOUR_SECONDS },
} as const satisfies Record<string, LimitRule>;

/**
 * Each API key of a user is counted separately; all keys and sessions of a user together may use this many times one
 * limit. So a runaway program leaves capacity for the others, and more keys do not mean more requests.
 */
export const CALLERS_PER_USER = 2;

/** In the process; by API key, or by user for sessions, except `address`. Each operation names one. */
export const PROCESS_LIMITS = {
  /** All requests from one address, before authentication. SLUICE_REQUESTS_PER_ADDRESS overrides the rate. */
  address: { burst: 2_000, perSecond: 200 },
  read: { burst: 200, perSecond: 50 },
  change: { burst: 50, perSecond: 5 },
  admin: { burst: 200, perSecond: 20 },
  /** Orders and cancellations, one at a time. */
  trade: { burst: 200, perSecond: 100 },
  /** Requests with up to a hundred orders each. */
  batch: { burst: 50, perSecond: 20 },
  /** Messages and pings of one socket. */
  live: { burst: 40, perSecond: 10 },
} as const satisfies Record<string, LimitRule>;

export type StoreLimitName = keyof typeof STORE_LIMITS;
export type ProcessLimitName = keyof typeof PROCESS_LIMITS;
