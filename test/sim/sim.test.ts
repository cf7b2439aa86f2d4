import { beforeAll, describe, expect, it } from "vitest";
import beatSource from "../../edge/line/scripts/beat.lua";
import enterSource from "../../edge/line/scripts/enter.lua";
import sweepSource from "../../edge/line/scripts/sweep.lua";
import touchSource from "../../edge/line/scripts/touch.lua";
import { borrowRedis, type TestServer } from "../../kit/borrowed-servers.ts";
import { IS_FULL_RUN } from "../../kit/full-run.ts";
import { Objection } from "../../kit/objection.ts";
import { mutations, tellingSeeds } from "./mutations.ts";
import { simulate } from "./simulate.ts";

const SEEDS_PER_TEST = 20;
const TESTS = IS_FULL_RUN ? 6 : 1;
/** The fewest that show every mistake below. */
const VISITORS = 16;
const LONG_TIMEOUT_MS = 120_000;

/** Seeds that once found a defect. */
const REMARKABLE_STORMS = [
  { seed: 5032, visitors: 60, what: "an event with a larger burst opens a moment after the burst was lowered" },
  { seed: 5088, visitors: 60, what: "a repeated join with a lapsed reservation arrives before the prequeue" },
  { seed: 6079, visitors: 60, what: "an outage ends reservations while the cap is lowered" },
];

let redis: TestServer;

beforeAll(async () => {
  redis = await borrowRedis({ fsync: "no" });
});

describe("the line keeps G1 to G5, step by step and at the end", () => {
  it.each(Array.from({ length: TESTS }, (_, index) => index * SEEDS_PER_TEST + 1))(
    `in ${SEEDS_PER_TEST} storms from seed %i on`,
    async (firstSeed) => {
      const seeds = Array.from({ length: SEEDS_PER_TEST }, (_, index) => firstSeed + index);
      for (const seed of seeds) {
        const report = await simulate({ url: redis.url, seed, visitors: VISITORS });
        expect(report.admissions, `seed ${seed}`).toBeGreaterThan(0);
      }
    },
    LONG_TIMEOUT_MS,
  );

  it.each(REMARKABLE_STORMS)(
    "in storm $seed of $visitors: $what",
    { timeout: LONG_TIMEOUT_MS },
    async ({ seed, visitors }) => {
      const report = await simulate({ url: redis.url, seed, visitors });
      expect(report.admissions).toBeGreaterThan(0);
    },
  );

  const large = IS_FULL_RUN ? 300 : 100;
  it(`in a storm of ${large}`, { timeout: LONG_TIMEOUT_MS }, async () => {
    const report = await simulate({ url: redis.url, seed: 7, visitors: large });
    expect(report.admissions).toBeGreaterThan(large / 3);
  });
});

it("replays a seed step by step", async () => {
  const options = { url: redis.url, seed: 42, visitors: VISITORS };
  expect(await simulate(options)).toEqual(await simulate(options));
});

describe("the auditor objects", () => {
  const SEEDS_MAX = 100;

  it.each(mutations)("when %s", { timeout: LONG_TIMEOUT_MS }, async (what, right, wrong) => {
    const sources = [enterSource, beatSource, sweepSource, touchSource];
    expect(
      sources.some((source) => source.includes(right)),
      "the text to change is in the scripts",
    ).toBe(true);
    const seeds = [tellingSeeds.get(what) ?? 1, ...Array.from({ length: SEEDS_MAX }, (_, index) => index + 1)];
    const objection = await firstObjection(seeds, (source) => source.replace(right, () => wrong));
    expect(objection, `an objection within ${SEEDS_MAX} seeds`).toBeInstanceOf(Objection);
  });

  async function firstObjection(seeds: readonly number[], mutate: (source: string) => string): Promise<unknown> {
    for (const seed of new Set(seeds)) {
      try {
        await simulate({ url: redis.url, seed, visitors: VISITORS, mutate });
      } catch (error) {
        return error;
      }
    }
    return undefined;
  }
});
