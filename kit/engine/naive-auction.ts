import type { NaivePair, NaiveVenue } from "./naive-venue.ts";

/** The bell has rung, or its time has come. */
export function isNaiveOpening(venue: NaiveVenue, { terms, opening }: NaivePair): boolean {
  if (opening === null) return false;
  return opening.steps !== null || (terms.state === "auction" && terms.opensAt > 0 && terms.opensAt <= venue.at);
}

/** After the terms have changed. */
export function naiveEnter(venue: NaiveVenue, pair: NaivePair): void {
  const { state } = pair.terms;
  if (state === "auction" && pair.opening === null) {
    pair.opening = { steps: null };
    pair.auction = { number: pair.auction.number + 1, rungAt: 0 };
  }
  if (state === "trading" && pair.opening !== null) naiveRing(venue, pair, pair.opening);
}

function naiveRing(venue: NaiveVenue, pair: NaivePair, opening: NonNullable<NaivePair["opening"]>): void {
  pair.terms = { ...pair.terms, state: "auction", opensAt: venue.at, freezeMs: 0 };
  pair.auction = { ...pair.auction, rungAt: venue.at };
  opening.steps = [];
}
