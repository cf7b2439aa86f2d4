/**
 * How often somebody may do what: the one table. A burst may be used at once and comes back at the rate.
 *
 * What protects people from guessing is counted in Redis, for all processes together. What protects a process from a
 * caller is counted by the process alone and asks nobody, so that it adds nothing to a request; several processes let through as
 * many times more.
 */
export type LimitRule = { readonly burst: number; readonly perSecond: number };

const HOUR_SECONDS = 3_600;

/** In Redis; each names what it is counted by. */
export const STORE_LIMITS = {
  /** New accounts, by address: an office opens many, a machine more. */
  register: { burst: 50, perSecond: 100 / HOUR_SECONDS },
  /** Wrong passwords, by address. Right ones are given back. */
  loginAddress: { burst: 60, perSecond: 240 / HOUR_SECONDS },
  /** Wrong passwords for one account from one address. */
  loginPair: { burst: 10, perSecond: 60 / HOUR_SECONDS },
  /** Wrong passwords for one account from all places that its owner has never signed in from. */
  loginAccount: { burst: 50, perSecond: 100 / HOUR_SECONDS },
} as const satisfies Record<string, LimitRule>;

/**
 * A user may have many API keys, and each is counted by itself: together with the sessions they may do as much as this many of them. So one
 * program that runs wild leaves something for the others, and more keys do not make more requests.
 */
export const CALLERS_PER_USER = 2;

/** In the process; by API key, or by user for sessions, except `address`. All of one user: `CALLERS_PER_USER`. Each operation names one. */
export const PROCESS_LIMITS = {
  /** Everything that comes from one address, before anybody knows who it is. SLUICE_REQUESTS_PER_ADDRESS overrides the rate. */
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
