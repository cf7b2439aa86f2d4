import { beforeAll, expect, it } from "vitest";
import { borrowRedis, type TestServer } from "../../kit/borrowed-servers.ts";
import { IS_FULL_RUN } from "../../kit/full-run.ts";
import type { PlainSettings } from "../../kit/line-settings.ts";
import { type Random, seededRandom } from "../../kit/random.ts";
import { calibrate, type Guest } from "./calibrate.ts";

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
const SEED = 15;

type Crowd = {
  readonly count: number;
  readonly joins: (index: number) => number;
  readonly stayMs: (random: Random) => number;
  readonly silent: number;
};

/** A share of them stops polling at some time within two minutes. */
function guests(random: Random, { count, joins, stayMs, silent }: Crowd): Guest[] {
  return Array.from({ length: count }, (_, index) => {
    const joinsAtMs = Math.round(joins(index));
    const silentFromMs = random.chance(silent) ? joinsAtMs + random.between(0, 120_000) : Number.POSITIVE_INFINITY;
    return { joinsAtMs, stayMs: stayMs(random), silentFromMs };
  }).toSorted((one, other) => one.joinsAtMs - other.joinsAtMs);
}

const exponential = (random: Random, meanMs: number) => Math.round(-Math.log(1 - random.next()) * meanMs);

type CalibratedLine = { readonly what: string; readonly settings: Partial<PlainSettings>; readonly crowd: Crowd };

const MOVING_LINE: CalibratedLine = {
  what: "a steady line limited by the slots",
  settings: { maxActive: 60, rate: 20, burst: 20 },
  crowd: { count: 500, joins: (index) => index * 800, stayMs: (random) => exponential(random, 60_000), silent: 0.1 },
};

const STALLED_LINE: CalibratedLine = {
  what: "a line that stalls until the sessions end",
  settings: { maxActive: 40, rate: 10, burst: 10, sessionTtlSeconds: 120 },
  crowd: { count: 75, joins: (index) => index * 100, stayMs: () => Number.POSITIVE_INFINITY, silent: 0 },
};

const RATE_LINE: CalibratedLine = {
  what: "a steady line limited by the rate",
  settings: {},
  crowd: { count: 1_200, joins: (index) => (index * 1_000) / 7, stayMs: () => 30_000, silent: 0.2 },
};

const BURST_LINE: CalibratedLine = {
  what: "bursts of arrivals and of sessions",
  settings: { maxActive: 50, rate: 10, burst: 10 },
  crowd: {
    count: 450,
    joins: (index) => Math.floor(index / 90) * 60_000 + (index % 90) * 100,
    stayMs: (random) => (random.chance(0.5) ? 15_000 : exponential(random, 40_000)),
    silent: 0.1,
  },
};

const DRAINING_LINE: CalibratedLine = {
  what: "a line that drains while no visitor joins",
  settings: { maxActive: 100, rate: 10, burst: 10 },
  crowd: { count: 700, joins: (index) => index * 5, stayMs: (random) => exponential(random, 30_000), silent: 0.3 },
};

/** Drawn one after the other, so that a line has the same visitors whichever lines are measured. */
const VISITORS = drawAll([RATE_LINE, MOVING_LINE, BURST_LINE, DRAINING_LINE, STALLED_LINE]);

function drawAll(lines: readonly CalibratedLine[]): ReadonlyMap<CalibratedLine, readonly Guest[]> {
  const random = seededRandom(SEED);
  return new Map(lines.map((line) => [line, guests(random, line.crowd)]));
}

let redis: TestServer;

beforeAll(async () => {
  redis = await borrowRedis({ fsync: "no" });
});

const measure = (line: CalibratedLine) =>
  calibrate(redis.url, { ...SETTINGS, ...line.settings }, VISITORS.get(line) ?? expect.fail("the line was drawn"));

function expectCalibrated({ onJoining, halfway, entered }: Awaited<ReturnType<typeof calibrate>>): void {
  expect(entered).toBeGreaterThan(30);
  expect(onJoining).toBeGreaterThanOrEqual(SHARE_MIN);
  expect(halfway).toBeGreaterThanOrEqual(SHARE_MIN);
}

it(`tells nine of ten visitors a range that holds in ${MOVING_LINE.what}, and hardly ever that it is stalled`, async () => {
  const calibration = await measure(MOVING_LINE);
  expectCalibrated(calibration);
  expect(calibration.stalled).toBeLessThan(0.01);
});

it(`tells nine of ten visitors a range that holds in ${STALLED_LINE.what}, and that it is stalled`, async () => {
  const calibration = await measure(STALLED_LINE);
  expectCalibrated(calibration);
  expect(calibration.stalled).toBeGreaterThan(0.8);
});

for (const line of IS_FULL_RUN ? [RATE_LINE, BURST_LINE, DRAINING_LINE] : []) {
  it(`tells nine of ten visitors a range that holds in ${line.what}`, async () => {
    const calibration = await measure(line);
    expectCalibrated(calibration);
    if (line === RATE_LINE) expect(calibration.stalled).toBe(0);
  });
}
