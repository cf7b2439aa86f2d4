import { afterAll, beforeAll, expect, it } from "vitest";
import { type RedisServer, startRedisServer } from "../../origin/stack/redis-server.ts";
import { temporaryFolder } from "../parts/temporary-folder.ts";
import { calibrate, type Guest } from "./calibrate.ts";
import { seededRandom } from "./random.ts";
import type { PlainSettings } from "./settings.ts";

const SETTINGS: PlainSettings = {
  mode: "active",
  maxActive: 10_000,
  rate: 5,
  burst: 5,
  sessionTtlSeconds: 600,
  claimSeconds: 20,
  heartbeatTtlSeconds: 60,
  maxQueueSize: 100_000,
};
const SHARE_MIN = 0.9;
const random = seededRandom(15);

type Crowd = { readonly count: number; readonly joins: (index: number) => number; readonly stayMs: () => number; readonly silent: number };

/** A part of them stops polling at some time within two minutes. */
function guests({ count, joins, stayMs, silent }: Crowd): Guest[] {
  return Array.from({ length: count }, (_, index) => {
    const joinsAtMs = Math.round(joins(index));
    const silentFromMs = random.chance(silent) ? joinsAtMs + random.between(0, 120_000) : Number.POSITIVE_INFINITY;
    return { joinsAtMs, stayMs: stayMs(), silentFromMs };
  }).toSorted((one, other) => one.joinsAtMs - other.joinsAtMs);
}

const exponential = (meanMs: number) => Math.round(-Math.log(1 - random.next()) * meanMs);

const LINES: readonly { readonly what: string; readonly settings: Partial<PlainSettings>; readonly crowd: Crowd }[] = [
  {
    what: "a steady line in which the rate decides",
    settings: {},
    crowd: { count: 1_200, joins: (index) => (index * 1_000) / 7, stayMs: () => 30_000, silent: 0.2 },
  },
  {
    what: "a steady line in which the slots decide",
    settings: { maxActive: 60, rate: 20, burst: 20 },
    crowd: { count: 500, joins: (index) => index * 800, stayMs: () => exponential(60_000), silent: 0.1 },
  },
  {
    what: "bursts of arrivals and of sessions",
    settings: { maxActive: 50, rate: 10, burst: 10 },
    crowd: {
      count: 450,
      joins: (index) => Math.floor(index / 90) * 60_000 + (index % 90) * 100,
      stayMs: () => (random.chance(0.5) ? 15_000 : exponential(40_000)),
      silent: 0.1,
    },
  },
  {
    what: "a line that drains, with nobody joining any more",
    settings: { maxActive: 100, rate: 10, burst: 10 },
    crowd: { count: 700, joins: (index) => index * 5, stayMs: () => exponential(30_000), silent: 0.3 },
  },
  {
    what: "a line that stands still until the sessions end",
    settings: { maxActive: 40, rate: 10, burst: 10, sessionTtlSeconds: 120 },
    crowd: { count: 75, joins: (index) => index * 100, stayMs: () => Number.POSITIVE_INFINITY, silent: 0 },
  },
];

let redis: RedisServer;

beforeAll(async () => {
  redis = await startRedisServer({ folder: await temporaryFolder(), fsync: "no" });
});

afterAll(() => redis.stop());

it.each(LINES)("tells nine of ten visitors a range that holds in $what", async ({ settings, crowd }) => {
  const { onJoining, halfway, entered } = await calibrate(redis.url, { ...SETTINGS, ...settings }, guests(crowd));
  expect(entered).toBeGreaterThan(30);
  expect(onJoining).toBeGreaterThanOrEqual(SHARE_MIN);
  expect(halfway).toBeGreaterThanOrEqual(SHARE_MIN);
});

it("says that nobody leaves for as long as that is so, and not in a line that moves", async () => {
  const still = LINES.at(-1);
  const moving = LINES[0];
  if (still === undefined || moving === undefined) throw new Error("there are lines");
  const stalled = await calibrate(redis.url, { ...SETTINGS, ...still.settings }, guests(still.crowd));
  expect(stalled.stalled).toBeGreaterThan(0.8);
  expect((await calibrate(redis.url, { ...SETTINGS, ...moving.settings }, guests(moving.crowd))).stalled).toBe(0);
});
