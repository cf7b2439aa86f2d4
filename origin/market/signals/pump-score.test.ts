import { describe, expect, it } from "vitest";
import { type Random, seededRandom } from "../../../kit/random.ts";
import { gapPercent, type PumpFacts, pumpScore, steadyScore } from "./pump-score.ts";

const HOUR_MS = 3_600_000;

function randomFacts(random: Random): PumpFacts & { readonly recent: NonNullable<PumpFacts["recent"]> } {
  const low = random.between(1, 10_000);
  const high = low + random.between(0, low);
  const figure = (max: number) => BigInt(random.between(1, max));
  return {
    recent: { close: figure(30_000), quoteVolume: figure(1e9), trades: random.between(1, 5_000) },
    past: {
      ...{ open: BigInt(low), high: BigInt(high), low: BigInt(low), close: BigInt(random.between(low, high)) },
      ...{ volume: figure(1e9), quoteVolume: figure(1e9), trades: random.between(1, 50_000) },
    },
    historyMs: random.between(HOUR_MS, 24 * HOUR_MS),
    quoteVolumeMin: 0n,
  };
}

describe("a pump score", () => {
  it("is from 0 to 100 and grows with return, volume and trades", () => {
    const random = seededRandom(5);
    let positive = 0;
    for (let round = 0; round < 3_000; round++) {
      const facts = randomFacts(random);
      const score = pumpScore(facts) ?? -1;
      const scoreWith = (recent: Partial<typeof facts.recent>) =>
        pumpScore({ ...facts, recent: { ...facts.recent, ...recent } });
      expect(score).toBeGreaterThanOrEqual(0);
      expect(score).toBeLessThanOrEqual(100);
      expect(scoreWith({ close: facts.recent.close + 100n })).toBeGreaterThanOrEqual(score);
      expect(scoreWith({ quoteVolume: facts.recent.quoteVolume * 2n })).toBeGreaterThanOrEqual(score);
      expect(scoreWith({ trades: facts.recent.trades + 100 })).toBeGreaterThanOrEqual(score);
      if (score > 0) positive++;
    }
    expect(positive).toBeGreaterThan(500);
  });

  it("is 0 below the volume filter, for a falling price and without recent trades", () => {
    const facts = randomFacts(seededRandom(1));
    const rising = { ...facts, recent: { ...facts.recent, close: 10n ** 9n } };
    expect(pumpScore(rising)).toBeGreaterThan(0);
    expect(pumpScore({ ...rising, quoteVolumeMin: 10n ** 12n })).toBe(0);
    expect(pumpScore({ ...facts, recent: { ...facts.recent, close: 1n } })).toBe(0);
    expect(pumpScore({ ...facts, recent: undefined })).toBe(0);
  });

  it("does not exist with less than an hour of history", () => {
    const facts = randomFacts(seededRandom(1));
    expect(pumpScore({ ...facts, historyMs: HOUR_MS - 1 })).toBeUndefined();
    expect(pumpScore({ ...facts, past: undefined })).toBeUndefined();
  });

  it("is published only when it has moved by two points, or has reached an end", () => {
    expect(steadyScore(undefined, 50)).toBe(50);
    expect(steadyScore(50, 51.9)).toBe(50);
    expect(steadyScore(50, 52)).toBe(52);
    expect(steadyScore(1, 0)).toBe(0);
    expect(steadyScore(99, 100)).toBe(100);
    expect(steadyScore(50, undefined)).toBeUndefined();
  });
});

it("a gap is the spread in percent of the middle, and none when a side is empty", () => {
  expect(gapPercent("99", "101")).toBe(2);
  expect(gapPercent(null, "101")).toBeUndefined();
  expect(gapPercent("99", null)).toBeUndefined();
});
