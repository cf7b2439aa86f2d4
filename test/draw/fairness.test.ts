import { createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import { seededRandom } from "../../kit/random.ts";
import { drawWith } from "../../shared/draw.ts";

const DRAWS = 1_000;
const TICKETS = 1_000;
const GROUPS = 10;
/**
 * In a fair draw a figure beyond this comes up once in a thousand times. The seeds are fixed, so that the outcome is.
 */
const UNLIKELY = 3.09;

const random = seededRandom(20_261_116);
const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const text = (length: number) =>
  Array.from({ length }, () => ALPHABET[random.between(0, ALPHABET.length - 1)]).join("");

/** In the order in which they joined. */
const tickets = Array.from({ length: TICKETS }, () => text(22));
const seeds = Array.from({ length: DRAWS }, () => text(43));

/** The draw once more, with another library: a million numbers in a moment. */
const honest = (seed: string, ticketId: string) =>
  Math.floor(createHmac("sha256", seed).update(ticketId).digest().readUIntBE(0, 5) / 2);

const draws = seeds.map((seed) => tickets.map((ticketId) => honest(seed, ticketId)));

/** A ticket's number after tampering with the draw. */
type Tampering = (number: number, index: number) => number;

/** How often each ticket came first. */
function firstPlaces(tamper: Tampering = (number) => number): readonly number[] {
  const counts = new Array<number>(TICKETS).fill(0);
  for (const numbers of draws) {
    const tampered = numbers.map(tamper);
    const first = tampered.indexOf(Math.min(...tampered));
    counts[first] = (counts[first] ?? 0) + 1;
  }
  return counts;
}

/**
 * Chi-square against "all alike", as a figure that is about normal (Wilson and Hilferty). Large when some tickets are
 * favoured; small when the counts happen to be even, which favours none.
 */
function unlikelihood(counts: readonly number[]): number {
  const expected = counts.reduce((sum, count) => sum + count) / counts.length;
  const chiSquare = counts.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
  const degrees = counts.length - 1;
  const variance = 2 / (9 * degrees);
  return (Math.cbrt(chiSquare / degrees) - (1 - variance)) / Math.sqrt(variance);
}

/** By when people joined, and by how their ids begin. */
function grouped(counts: readonly number[], groupOf: (index: number) => number): readonly number[] {
  const sums = new Array<number>(GROUPS).fill(0);
  counts.forEach((count, index) => {
    const group = groupOf(index);
    sums[group] = (sums[group] ?? 0) + count;
  });
  return sums;
}

const byArrival = (index: number) => Math.floor((index * GROUPS) / TICKETS);
const sorted = tickets.toSorted();
const rankOfId = new Map(sorted.map((ticketId, rank) => [ticketId, rank]));
const byId = (index: number) => Math.floor(((rankOfId.get(tickets[index] ?? "") ?? 0) * GROUPS) / TICKETS);

describe(`${DRAWS} draws of ${TICKETS} tickets`, () => {
  it("are made with the numbers that the gate gives", async () => {
    const [seed = ""] = seeds;
    expect(draws[0]).toEqual(await Promise.all(tickets.map(drawWith(seed))));
  });

  it("let every ticket come first equally often, whenever it joined and whatever its id", () => {
    const counts = firstPlaces();
    for (const groups of [counts, grouped(counts, byArrival), grouped(counts, byId)])
      expect(unlikelihood(groups)).toBeLessThan(UNLIKELY);
  });

  it("would be found out if the first who joined, or some ids, were twice as lucky as the last", () => {
    const early = firstPlaces((number, index) => number * (1 + index / TICKETS));
    expect(unlikelihood(grouped(early, byArrival))).toBeGreaterThan(UNLIKELY);
    const someIds = firstPlaces((number, index) => number * (byId(index) < GROUPS / 2 ? 1 : 2));
    expect(unlikelihood(grouped(someIds, byId))).toBeGreaterThan(UNLIKELY);
  });

  it("would be found out if one seed decided more than one of them", () => {
    expect(unlikelihood(firstPlaces((_number, index) => draws[0]?.[index] ?? 0))).toBeGreaterThan(UNLIKELY);
  });
});
