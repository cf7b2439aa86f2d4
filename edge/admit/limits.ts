import type { Clock } from "../../shared/clock.ts";
import { createLimit, type Limit } from "../../shared/http/limit.ts";

/**
 * How often one visitor or one address may ask. Kept in the isolate, one number per identity (GCRA): a join or a poll
 * stays at one store command, and a request over the limit makes none.
 *
 * This isolate never asks the store more often than that for one identity. Each isolate counts separately, so the whole
 * edge may let through a multiple, and a new isolate starts at zero. The number of places per address that holds
 * everywhere is a queue's `ticketsPerIp`, which the store counts.
 */
export type Limits = {
  /** Newcomers, by address. Generous: an office or a mobile network is one address with many people behind it. */
  readonly joins: Limit;
  /** Polls, by ticket or session: neighbours behind one address do not count. */
  readonly polls: Limit;
  /** Polls, by address: only against a flood. */
  readonly pollsOfAddress: Limit;
  /** Operators' requests, by address. */
  readonly admin: Limit;
};

export function createLimits(
  clock: Clock,
  { joinsPerAddressPerSecond }: { readonly joinsPerAddressPerSecond: number },
): Limits {
  const joins = { perSecond: joinsPerAddressPerSecond, burst: joinsPerAddressPerSecond * 20 };
  return {
    joins: createLimit({ name: "joins", ...joins, clock }),
    polls: createLimit({ name: "polls", perSecond: 2, burst: 30, clock }),
    pollsOfAddress: createLimit({ name: "address", perSecond: joins.perSecond * 20, burst: joins.burst * 5, clock }),
    admin: createLimit({ name: "admin", perSecond: 20, burst: 200, clock }),
  };
}
