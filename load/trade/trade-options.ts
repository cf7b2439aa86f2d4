import type { Shard } from "../crowd/crowd-options.ts";
import type { Mix } from "./mix.ts";

/** How a venue is traded on. */
export type TradeOptions = {
  /** Orders and cancellations a second, whether or not the venue keeps up. */
  readonly ordersPerSecond: number;
  readonly seconds: number;
  readonly traders: number;
  readonly mix: Mix;
  /** Those to trade; the venue's own names. */
  readonly pairs: readonly [string, ...string[]];
  /** How many limit orders go into one request. */
  readonly batch: number;
  /** Past the gate, straight to the origin of a stack of our own, with a pass of our own. */
  readonly isDirect: boolean;
  readonly seed: number;
  readonly shard: Shard;
};
