import type { Clock } from "../../shared/clock.ts";
import { createLimit, type Limit } from "../../shared/limit.ts";

/**
 * How often one visitor or one address may ask. Kept in the isolate, one number per identity (GCRA), so that a join and a
 * poll stay at one store command each, and somebody over the limit costs none.
 *
 * What it promises: this isolate never asks the store more often for one identity. What it does not: several isolates each
 * count for themselves, so the whole edge may let through as many times more, and a new isolate has forgotten. A
 * number of places per address that holds everywhere is a queue's `ticketsPerIp`, which the store counts.
 */
export type Limits = {
  /** Newcomers, by address. Generous: an office or a mobile network is one address with many people behind it. */
  readonly joins: Limit;
  /** Polls, by ticket or session: nobody's polling is held against their neighbours. */
  readonly polls: Limit;
  /** Polls, by address: only against a flood. */
  readonly pollsOfAddress: Limit;
  /** What operators do, by address. */
  readonly admin: Limit;
};

export function createLimits(clock: Clock, { joinsPerAddressPerSecond }: { readonly joinsPerAddressPerSecond: number }): Limits {
  const joins = { perSecond: joinsPerAddressPerSecond, burst: joinsPerAddressPerSecond * 20 };
  return {
    joins: createLimit({ name: "joins", ...joins, clock }),
    polls: createLimit({ name: "polls", perSecond: 2, burst: 30, clock }),
    pollsOfAddress: createLimit({ name: "address", perSecond: joins.perSecond * 20, burst: joins.burst * 5, clock }),
    admin: createLimit({ name: "admin", perSecond: 20, burst: 200, clock }),
  };
}
