import { userNamed } from "./accounts.ts";
import { enterState, isSoundSchedule, scheduleFault } from "./auction/enter-auction.ts";
import { touch } from "./change-log.ts";
import { PPM, SCALE_MAX, STEPS_MAX, TICKS_MAX } from "./limits.ts";
import { type Outcome, type RejectCode, reject } from "./outcome.ts";
import { addCurrency, addPair, type Currency, type Pair, setTerms, unitStepsOf } from "./pairs.ts";
import type { EngineState } from "./state.ts";
import type { PairTerms } from "./terms.ts";

const DONE: Outcome = { kind: "done" };

/** A scale never changes: every balance is counted in it. */
export function setCurrency(
  state: EngineState,
  { currency: name, scale }: { readonly currency: string; readonly scale: number },
): Outcome {
  if (name === "" || !isWholeBetween(scale, { min: 0, max: SCALE_MAX })) return reject("terms_invalid");
  const known = state.currencies.byName.get(name);
  if (known !== undefined) return known.scale === scale ? DONE : reject("currency_fixed");
  if (state.currencies.all.length >= state.bounds.currenciesMax) return reject("engine_full");
  touch(state.log.currencies, addCurrency(state.currencies, name, scale));
  return DONE;
}

/** Open orders are counted in ticks and lots, so these can change only while there are none. */
export function setPair(state: EngineState, terms: PairTerms): Outcome {
  const base = state.currencies.byName.get(terms.baseCurrency);
  const quote = state.currencies.byName.get(terms.quoteCurrency);
  if (base === undefined || quote === undefined) return reject("currency_unknown");
  if (!(isSound(terms, base) && isSoundSchedule(terms))) return reject("terms_invalid");
  const pair = state.pairs.byName.get(terms.pair);
  if (pair !== undefined) return changePair(state, { pair, terms });
  const fault = scheduleFault(state, { pair, terms });
  if (fault !== undefined) return reject(fault);
  if (state.pairs.all.length >= state.bounds.pairsMax) return reject("engine_full");
  const added = addPair(state.pairs, { terms, base, quote });
  enterState(state, added);
  touch(state.log.pairs, added);
  return DONE;
}

/** Freezing stops orders and withdrawals. Cancels stay possible: they only release funds. */
export function setUser(
  state: EngineState,
  { user: name, isFrozen }: { readonly user: string; readonly isFrozen: boolean },
): Outcome {
  if (name === "") return reject("command_invalid");
  const isFrozenNow = state.users.byName.get(name)?.isFrozen ?? false;
  if (isFrozenNow === isFrozen) return DONE;
  if (!state.users.byName.has(name) && state.users.all.length >= state.bounds.usersMax) return reject("engine_full");
  const user = userNamed(state.users, name);
  user.isFrozen = isFrozen;
  touch(state.log.users, user);
  return DONE;
}

function changePair(state: EngineState, { pair, terms }: { readonly pair: Pair; readonly terms: PairTerms }): Outcome {
  if (terms.baseCurrency !== pair.base.name || terms.quoteCurrency !== pair.quote.name) return reject("terms_invalid");
  const isNewGrid = terms.tickSteps !== pair.terms.tickSteps || terms.lotSteps !== pair.terms.lotSteps;
  if (!isNewGrid && isSameTerms(terms, pair.terms)) return DONE;
  const fault = scheduleFault(state, { pair, terms }) ?? (isNewGrid ? gridFault({ pair, terms }) : undefined);
  if (fault !== undefined) return reject(fault);
  if (isNewGrid) {
    pair.lastTicks = lastTicksIn({ pair, terms });
    pair.grid++;
  }
  pair.version++;
  setTerms(pair, terms);
  enterState(state, pair);
  touch(state.log.pairs, pair);
  return DONE;
}

function gridFault(change: { readonly pair: Pair; readonly terms: PairTerms }): RejectCode | undefined {
  if (change.pair.openOrders > 0) return "pair_has_orders";
  return lastTicksIn(change) > TICKS_MAX ? "terms_invalid" : undefined;
}

/** The last price in the new steps, rounded down; below one step there is none. */
function lastTicksIn({ pair, terms }: { readonly pair: Pair; readonly terms: PairTerms }): number {
  return Number((BigInt(pair.lastTicks) * pair.terms.tickSteps) / terms.tickSteps);
}

function isSound(terms: PairTerms, base: Currency): boolean {
  const { pair, baseCurrency, quoteCurrency, tickSteps, lotSteps, valueStepsMin, makerFeePpm, takerFeePpm, bandPpm } =
    terms;
  if (pair === "" || baseCurrency === quoteCurrency) return false;
  if (![tickSteps, lotSteps].every((steps) => steps > 0n && steps <= STEPS_MAX)) return false;
  if (valueStepsMin < 0n || valueStepsMin > STEPS_MAX) return false;
  if (![makerFeePpm, takerFeePpm, bandPpm].every((ppm) => isWholeBetween(ppm, { min: 0, max: PPM }))) return false;
  return unitStepsOf(terms, base) * 10n ** BigInt(base.scale) === tickSteps * lotSteps;
}

function isSameTerms(one: PairTerms, other: PairTerms): boolean {
  return (
    one.valueStepsMin === other.valueStepsMin &&
    one.makerFeePpm === other.makerFeePpm &&
    one.takerFeePpm === other.takerFeePpm &&
    one.state === other.state &&
    one.opensAt === other.opensAt &&
    one.freezeMs === other.freezeMs &&
    one.bandPpm === other.bandPpm
  );
}

function isWholeBetween(value: number, { min, max }: { readonly min: number; readonly max: number }): boolean {
  return Number.isInteger(value) && value >= min && value <= max;
}
