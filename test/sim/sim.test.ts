import { afterAll, beforeAll, describe, expect, it } from "vitest";
import beatSource from "../../edge/queue/beat.lua";
import bucketSource from "../../edge/queue/bucket.lua";
import enterSource from "../../edge/queue/enter.lua";
import eventSource from "../../edge/queue/event.lua";
import flowSource from "../../edge/queue/flow.lua";
import lineSource from "../../edge/queue/line.lua";
import orderSource from "../../edge/queue/order.lua";
import pollSource from "../../edge/queue/poll.lua";
import silenceSource from "../../edge/queue/silence.lua";
import standSource from "../../edge/queue/stand.lua";
import sweepSource from "../../edge/queue/sweep.lua";
import tallySource from "../../edge/queue/tally.lua";
import touchSource from "../../edge/queue/touch.lua";
import { type RedisServer, startRedisServer } from "../../origin/stack/redis-server.ts";
import { temporaryFolder } from "../parts/temporary-folder.ts";
import { mutations, tellingSeeds } from "./mutations.ts";
import { Objection } from "./objection.ts";
import { simulate } from "./simulate.ts";

const SEEDS_PER_TEST = 20;
const TESTS = 6;
/** As few as show every mistake below. */
const VISITORS = 16;
const LONG_TIMEOUT_MS = 120_000;

/** Seeds that found something once. */
const REMARKABLE_STORMS = [
  { seed: 5032, visitors: 60, what: "an event with a larger burst opens a moment after the burst was made smaller" },
  { seed: 5088, visitors: 60, what: "a repeated join with a reservation that has lapsed comes before the prequeue" },
  { seed: 6079, visitors: 60, what: "an outage ends reservations, and the cap was lowered meanwhile" },
];

let redis: RedisServer;

beforeAll(async () => {
  redis = await startRedisServer({ folder: await temporaryFolder(), fsync: "no" });
});

afterAll(() => redis.stop());

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

  it.each(REMARKABLE_STORMS)("in storm $seed of $visitors: $what", { timeout: LONG_TIMEOUT_MS }, async ({ seed, visitors }) => {
    const report = await simulate({ url: redis.url, seed, visitors });
    expect(report.admissions).toBeGreaterThan(0);
  });

  it("in a storm of 300", { timeout: LONG_TIMEOUT_MS }, async () => {
    const report = await simulate({ url: redis.url, seed: 7, visitors: 300 });
    expect(report.admissions).toBeGreaterThan(100);
  });
});

it("replays a seed step by step", async () => {
  const options = { url: redis.url, seed: 42, visitors: VISITORS };
  expect(await simulate(options)).toEqual(await simulate(options));
});

describe("the auditor objects", () => {
  const SEEDS_MAX = 100;

  it.each(mutations)("when %s", { timeout: LONG_TIMEOUT_MS }, async (what, right, wrong) => {
    const sources = [
      eventSource,
      orderSource,
      flowSource,
      bucketSource,
      silenceSource,
      lineSource,
      pollSource,
      standSource,
      enterSource,
      beatSource,
      sweepSource,
      tallySource,
      touchSource,
    ];
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
