import type { Clock } from "../../shared/clock.ts";

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

export type Limit = { readonly take: (identity: string) => LimitVerdict };

export type LimitVerdict = {
  readonly isOver: boolean;
  readonly retryAfterSeconds: number;
  /** `RateLimit` and `RateLimit-Policy` (draft-ietf-httpapi-ratelimit-headers). */
  readonly headers: Readonly<Record<string, string>>;
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

type LimitOptions = { readonly name: string; readonly perSecond: number; readonly burst: number; readonly clock: Clock };

/** About 100 bytes each. Whoever is forgotten begins with the full burst, which takes a flood of others first. */
const IDENTITIES_MAX = 50_000;

export function createLimit({ name, perSecond, burst, clock }: LimitOptions): Limit {
  const costMs = 1000 / perSecond;
  const windowSeconds = Math.ceil(burst / perSecond);
  const policy = `"${name}";q=${burst};w=${windowSeconds}`;
  /** When each identity will have its full burst again. */
  const fullAtMs = new Map<string, number>();

  function remember(identity: string, atMs: number): void {
    fullAtMs.delete(identity);
    fullAtMs.set(identity, atMs);
    if (fullAtMs.size <= IDENTITIES_MAX) return;
    const oldest = fullAtMs.keys().next();
    if (!oldest.done) fullAtMs.delete(oldest.value);
  }

  return {
    take(identity) {
      const nowMs = clock.nowMs();
      const sinceMs = Math.max(0, (fullAtMs.get(identity) ?? 0) - nowMs);
      // Nobody can owe more than the burst: the clock was set back, and what was counted before it says nothing.
      const owedMs = sinceMs > burst * costMs ? 0 : sinceMs;
      const isOver = owedMs + costMs > burst * costMs;
      if (!isOver) remember(identity, nowMs + owedMs + costMs);
      const remaining = Math.max(0, Math.floor(burst - owedMs / costMs) - 1);
      const resetSeconds = Math.ceil(owedMs / 1000);
      return {
        isOver,
        retryAfterSeconds: isOver ? Math.max(1, Math.ceil((owedMs + costMs - burst * costMs) / 1000)) : 0,
        headers: { "ratelimit-policy": policy, ratelimit: `"${name}";r=${remaining};t=${resetSeconds}` },
      };
    },
  };
}

/** IPv6 hands every household a /64, so that one visitor could appear under more addresses than there are visitors. */
export function addressIdentity(address: string): string {
  if (!address.includes(":")) return address;
  const [head = "", tail] = address.toLowerCase().split("::", 2);
  const groups = head.split(":").filter((group) => group !== "");
  const missing = tail === undefined ? 0 : 8 - groups.length - tail.split(":").filter((group) => group !== "").length;
  return [...groups, ...Array.from({ length: Math.max(0, missing) }, () => "0"), ...(tail ?? "").split(":")].slice(0, 4).join(":");
}
