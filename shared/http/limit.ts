import type { Clock } from "../clock.ts";

/** A rate limit per identity, counted in this process only: one number each (GCRA), without a call to the store. */
export type Limit = { readonly take: (identity: string) => LimitVerdict };

export type LimitVerdict = {
  readonly isOver: boolean;
  readonly retryAfterSeconds: number;
  /** How much of the burst is left, from 0 to 1. */
  readonly remainingShare: number;
  /** `RateLimit` and `RateLimit-Policy` (draft-ietf-httpapi-ratelimit-headers). */
  readonly headers: Readonly<Record<string, string>>;
};

type LimitOptions = {
  readonly name: string;
  readonly perSecond: number;
  readonly burst: number;
  readonly clock: Clock;
};

/** About 100 bytes each. A forgotten identity begins with the full burst; that takes a flood of others first. */
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
      // No identity can owe more than the burst: the clock was set back, and earlier counts mean nothing.
      const owedMs = sinceMs > burst * costMs ? 0 : sinceMs;
      const isOver = owedMs + costMs > burst * costMs;
      if (!isOver) remember(identity, nowMs + owedMs + costMs);
      const remaining = Math.max(0, Math.floor(burst - owedMs / costMs) - 1);
      return {
        isOver,
        retryAfterSeconds: isOver ? Math.max(1, Math.ceil((owedMs + costMs - burst * costMs) / 1000)) : 0,
        remainingShare: remaining / burst,
        // Most requests are counted by several limits, and only the tightest is reported.
        get headers() {
          return { "ratelimit-policy": policy, ratelimit: `"${name}";r=${remaining};t=${Math.ceil(owedMs / 1000)}` };
        },
      };
    },
  };
}
