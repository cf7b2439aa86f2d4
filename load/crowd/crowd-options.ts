import type { Curve } from "./arrivals.ts";

/** The size and habits of a crowd. Shares are of all visitors. */
export type CrowdOptions = {
  readonly visitors: number;
  readonly overSeconds: number;
  readonly curve: Curve;
  /** Stop polling for good while they wait. */
  readonly silentShare: number;
  /** Stop polling for some seconds, and return to their place. */
  readonly returnShare: number;
  /** Leave the line while they wait. */
  readonly leaveShare: number;
  /** Reload the page between two polls. */
  readonly retryShare: number;
  /** Share one address. */
  readonly shareAddressShare: number;
  /** Pages that each visitor requests inside, after the first. */
  readonly requests: number;
  readonly staySeconds: number;
  /** The run ends after this, even with visits under way. */
  readonly withinSeconds: number;
  readonly seed: number;
  /** This process plays every `count`-th visitor, starting with the `index`-th; 1 of 1 plays all. */
  readonly shard: Shard;
};

export type Shard = { readonly index: number; readonly count: number };
