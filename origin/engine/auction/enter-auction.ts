import type { RejectCode } from "../outcome.ts";
import type { Pair } from "../pairs.ts";
import { setTerms } from "../pairs.ts";
import type { EngineState } from "../state.ts";
import type { PairTerms } from "../terms.ts";
import { isUncrossing, NO_AUCTION } from "./auction.ts";

/**
 * How a pair comes into an auction and to its bell. An auction that has begun ends only by its uncross: a halt keeps its
 * orders, and the way back to trading rings the bell, because the book may be crossed.
 */

/** The bell has rung, or its time has come and the next tick rings it: nothing about the pair changes until it trades. */
export function isOpening({ at }: Pick<EngineState, "at">, { terms, auction }: Pair): boolean {
  return isUncrossing(auction) || (terms.state === "auction" && terms.opensAt !== 0 && terms.opensAt <= at);
}

/** Why an order of the pair cannot be cancelled or changed: before the bell orders can come, and none can go. */
export function withdrawalFault(state: Pick<EngineState, "at">, pair: Pair): RejectCode | undefined {
  if (isOpening(state, pair)) return "pair_opening";
  const { terms } = pair;
  const isFrozen = terms.state === "auction" && terms.opensAt !== 0 && state.at >= terms.opensAt - terms.freezeMs;
  return isFrozen ? "auction_frozen" : undefined;
}

export const isSoundSchedule = ({ state, opensAt, freezeMs }: PairTerms): boolean =>
  [opensAt, freezeMs].every((ms) => Number.isSafeInteger(ms) && ms >= 0) &&
  (opensAt !== 0 || freezeMs === 0) &&
  (state === "auction" || opensAt === 0);

/** Why new terms cannot be accepted, as far as auctions are concerned. */
export function scheduleFault(
  state: EngineState,
  { pair, terms }: { readonly pair: Pair | undefined; readonly terms: PairTerms },
): RejectCode | undefined {
  if (pair !== undefined && isOpening(state, pair)) return "pair_opening";
  if (terms.state === "auction" && terms.opensAt !== 0 && terms.opensAt <= state.at) return "auction_time_past";
  const isFixed = pair?.auction.phase === "collecting" && !areSameRules(pair.terms, terms);
  return isFixed ? "pair_in_auction" : undefined;
}

/** Orders that wait in an auction were checked, and their funds reserved, under these. */
function areSameRules(one: PairTerms, other: PairTerms): boolean {
  return (
    one.tickSteps === other.tickSteps &&
    one.lotSteps === other.lotSteps &&
    one.valueStepsMin === other.valueStepsMin &&
    one.makerFeePpm === other.makerFeePpm &&
    one.bandPpm === other.bandPpm
  );
}

/** After new terms were set. */
export function enterState(state: EngineState, pair: Pair): void {
  const { terms, auction } = pair;
  if (terms.state === "auction" && auction.phase === "none")
    pair.auction = { ...NO_AUCTION, number: auction.number + 1, phase: "collecting" };
  if (terms.state === "trading" && auction.phase === "collecting") ringBell(state, pair);
}

/** The book stands still from here on. Ticks do the rest (`uncross.ts`). */
export function ringBell({ at }: EngineState, pair: Pair): void {
  setTerms(pair, { ...pair.terms, state: "auction", opensAt: at, freezeMs: 0 });
  pair.auction = { ...pair.auction, phase: "listing", rungAt: at, referenceTicks: pair.lastTicks };
}
