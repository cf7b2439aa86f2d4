import type { Shard } from "../crowd/crowd-options.ts";
import type { Mix } from "./mix.ts";

/** The flow that `npm run load -- trade` puts on a venue. */
export type TradeOptions = {
  /** Orders and cancellations together, whether or not the venue keeps up. */
  readonly actionsPerSecond: number;
  readonly seconds: number;
  readonly traders: number;
  readonly mix: Mix;
  /** By the venue's own names. */
  readonly pairs: readonly [string, ...string[]];
  /** Limit orders in one request. */
  readonly batch: number;
  /** Past the gate, straight to the origin of the run's own stack, with a pass that the run signs. */
  readonly isDirect: boolean;
  readonly seed: number;
  readonly shard: Shard;
  /** The pairs begin in an auction. */
  readonly isAuction?: boolean;
};
