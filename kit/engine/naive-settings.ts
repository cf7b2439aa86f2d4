import type { Outcome } from "../../origin/engine/outcome.ts";
import type { PairTerms } from "../../origin/engine/terms.ts";
import { isNaiveOpening, naiveEnter } from "./naive-auction.ts";
import { isAlive, MOST, no, PRICE_MOST } from "./naive-parts.ts";
import type { NaivePair, NaiveVenue } from "./naive-venue.ts";

const done: Outcome = { kind: "done" };

export function naiveSetCurrency(venue: NaiveVenue, name: string, scale: number): Outcome {
  if (name === "" || ![...Array(19).keys()].includes(scale)) return no("terms_invalid");
  const known = venue.currencies.find((currency) => currency.name === name);
  if (known && known.scale !== scale) return no("currency_fixed");
  if (!known) venue.currencies.push({ name, scale, supply: 0n });
  return done;
}

export function naiveSetUser(venue: NaiveVenue, name: string, isFrozen: boolean): Outcome {
  if (name === "") return no("command_invalid");
  const known = venue.users.find((user) => user.name === name);
  if (known) known.isFrozen = isFrozen;
  else if (isFrozen && venue.users.length >= venue.bounds.usersMax) return no("engine_full");
  else if (isFrozen) venue.users.push({ name, isFrozen, cancelAt: 0 });
  return done;
}

export function naiveSetPair(venue: NaiveVenue, terms: PairTerms): Outcome {
  const base = venue.currencies.find(({ name }) => name === terms.baseCurrency);
  const quote = venue.currencies.find(({ name }) => name === terms.quoteCurrency);
  if (!base || !quote) return no("currency_unknown");
  if (!areTermsGood(terms, base.scale) || !isScheduleGood(terms)) return no("terms_invalid");
  const known = venue.pairs.find((one) => one.terms.pair === terms.pair);
  if (known) return changePair(venue, known, terms);
  if (isPast(venue, terms)) return no("auction_time_past");
  const pair: NaivePair = {
    terms,
    version: 1,
    grid: 1,
    lastTicks: 0,
    auction: { number: 0, rungAt: 0 },
    opening: null,
  };
  venue.pairs.push(pair);
  naiveEnter(venue, pair);
  return done;
}

function changePair(venue: NaiveVenue, pair: NaivePair, terms: PairTerms): Outcome {
  const before = pair.terms;
  if (before.baseCurrency !== terms.baseCurrency || before.quoteCurrency !== terms.quoteCurrency)
    return no("terms_invalid");
  const text = (one: PairTerms) => Object.keys(terms).map((key) => `${key} ${one[key as keyof PairTerms]}`);
  if (text(before).join() === text(terms).join()) return done;
  if (isNaiveOpening(venue, pair)) return no("pair_opening");
  if (isPast(venue, terms)) return no("auction_time_past");
  const fixed = ["tickSteps", "lotSteps", "valueStepsMin", "makerFeePpm", "bandPpm"] as const;
  if (pair.opening !== null && fixed.some((key) => before[key] !== terms[key])) return no("pair_in_auction");
  if (before.tickSteps !== terms.tickSteps || before.lotSteps !== terms.lotSteps) {
    if (venue.orders.some((order) => order.pair === terms.pair && isAlive(order))) return no("pair_has_orders");
    const lastTicks = (BigInt(pair.lastTicks) * before.tickSteps) / terms.tickSteps;
    if (lastTicks > BigInt(PRICE_MOST)) return no("terms_invalid");
    pair.lastTicks = Number(lastTicks);
    pair.grid += 1;
  }
  pair.version += 1;
  pair.terms = terms;
  naiveEnter(venue, pair);
  return done;
}

function isScheduleGood({ state, opensAt, freezeMs }: PairTerms): boolean {
  if (!Number.isSafeInteger(opensAt) || !Number.isSafeInteger(freezeMs) || opensAt < 0 || freezeMs < 0) return false;
  return opensAt > 0 ? state === "auction" : freezeMs === 0;
}

const isPast = (venue: NaiveVenue, { state, opensAt }: PairTerms): boolean =>
  state === "auction" && opensAt > 0 && opensAt <= venue.at;

function areTermsGood(terms: PairTerms, baseScale: number): boolean {
  const { pair, baseCurrency, quoteCurrency, tickSteps, lotSteps, valueStepsMin, makerFeePpm, takerFeePpm, bandPpm } =
    terms;
  const isPpm = (ppm: number) => Number.isInteger(ppm) && ppm >= 0 && ppm <= 1_000_000;
  return (
    pair !== "" &&
    baseCurrency !== quoteCurrency &&
    tickSteps >= 1n &&
    tickSteps <= MOST &&
    lotSteps >= 1n &&
    lotSteps <= MOST &&
    valueStepsMin >= 0n &&
    valueStepsMin <= MOST &&
    isPpm(makerFeePpm) &&
    isPpm(takerFeePpm) &&
    isPpm(bandPpm) &&
    (tickSteps * lotSteps) % 10n ** BigInt(baseScale) === 0n
  );
}
