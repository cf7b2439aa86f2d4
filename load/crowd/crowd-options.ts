import type { Curve } from "./arrivals.ts";

/** Who comes, and what they are like. Shares are of all visitors. */
export type CrowdOptions = {
  readonly visitors: number;
  readonly overSeconds: number;
  readonly curve: Curve;
  /** Stop asking while they wait, for good. */
  readonly silentShare: number;
  /** Stop asking for some seconds, and want their old place again. */
  readonly returnShare: number;
  /** Say that they leave while they wait. */
  readonly leaveShare: number;
  /** Press reload between two polls. */
  readonly retryShare: number;
  /** Come from one and the same address. */
  readonly shareAddressShare: number;
  /** How many pages each asks for inside, after the first. */
  readonly requests: number;
  readonly staySeconds: number;
  /** Whoever is still on the way by then is left. */
  readonly withinSeconds: number;
  readonly seed: number;
  /** This process plays every `count`-th visitor, beginning with the `index`-th; 1 of 1 plays all. */
  readonly shard: Shard;
};

export type Shard = { readonly index: number; readonly count: number };
