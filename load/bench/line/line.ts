import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { queueSettingsSchema } from "../../edge/queue/settings.ts";
import { startRedisServer } from "../../origin/stack/redis-server.ts";
import { type Benchmark, type BenchmarkRow, benchmarkRow } from "./benchmark.ts";
import { type Crowd, type CrowdLimits, gatherCrowd, willStay } from "./line-crowd.ts";
import { daemonPopsBlindly, headEntersOnOwnPoll, type Rival } from "./line-rivals.ts";
import { runLine } from "./line-run.ts";
import type { DrainTotal, LineScore } from "./line-score.ts";

/**
 * The scoreboard: how fast a line of people moves, against the best that could be done with the same limits by somebody
 * who knows who will stay. Simulated time, so the figures are the same on every machine. Two rival policies meet the
 * same crowds. Where the cap or the rate is exceeded, or a visitor is overtaken, there is no figure: the benchmark fails and names the crowds.
 */
export const lineBenchmark: Benchmark = {
  name: "line",
  run: async ({ quick }) => {
    const folder = await mkdtemp(join(tmpdir(), "sluice-bench-"));
    const redis = await startRedisServer({ folder, fsync: "no" });
    try {
      const runs: LineRun[] = [];
      for (const crowd of quick ? quickCrowds() : fullCrowds()) runs.push({ crowd, score: await runLine(redis.url, crowd) });
      const broken = runs.flatMap((run) => faultOf(run) ?? []);
      if (broken.length > 0) throw new Error(`the line broke a promise:\n${broken.join("\n")}`);
      const rows = [...Map.groupBy(runs, ({ crowd }) => crowd.what).values()].map((draws) => ourRow(draws));
      const rivalSize = quick ? QUICK_SIZE : SIZES[0];
      return [...rows, ...RIVALS.flatMap((rival) => crowdsOf(rivalSize, LIMITS).map((crowd) => rivalRow(crowd, rival)))];
    } finally {
      await redis.stop();
      await rm(folder, { recursive: true, force: true });
    }
  },
};

const SIZES = [1_000, 10_000] as const;
const QUICK_SIZE = 500;
const SILENT_SHARES = [0, 0.3, 0.6] as const;
const SEED = 1;
/** Who goes silent decides whether anybody is overtaken: one draw proves little, and those of small crowds are cheap. */
const RATE_SEEDS = [1, 2, 3, 4, 5] as const;
const AIM = 0.95;
/** How much longer than the ideal a rival is watched. */
const PATIENCE = 4;
const MINUTE_MS = 60_000;

type NamedLimits = CrowdLimits & { readonly what: string };

/** A thousand people a minute, held back once by the rate and once by the slots. */
const LIMITS: readonly NamedLimits[] = [
  { what: "the rate decides", maxActive: 2_000, rate: 1_000 / 60, burst: 20, stayMs: 60_000 },
  { what: "the slots decide", maxActive: 300, rate: 30, burst: 30, stayMs: 30_000 },
];

/** So many that the polls of those who are about to go in would be most of what a gate has to answer. */
const FAST_SIZE = 20_000;
const FAST_LIMITS: NamedLimits = { what: "300 a second, burst 100", maxActive: 100_000, rate: 300, burst: 100, stayMs: 60_000 };

/** A slot that stays empty for a poll interval costs much of such a session. */
const SHORT_SIZE = 600;
const SHORT_LIMITS: NamedLimits = { what: "30 slots, 30 a second, sessions of 0.9 s", maxActive: 30, rate: 30, burst: 30, stayMs: 900 };

/** Promise G13 holds at any rate and burst. */
const RATES = [0.5, 1, 5, 50, 300] as const;
const QUICK_RATES = [1, 5, 50] as const;
const RATE_SILENT_SHARES = [0, 0.3] as const;
const RATE_SECONDS = 20;
const RATE_SIZE_MIN = 40;

type NamedCrowd = Crowd & { readonly what: string; readonly seed: number };
type LineRun = { readonly crowd: NamedCrowd; readonly score: LineScore };

function fullCrowds(): readonly NamedCrowd[] {
  return [
    ...SIZES.flatMap((size) => crowdsOf(size, LIMITS)),
    ...crowdsOf(FAST_SIZE, [FAST_LIMITS]),
    ...crowdsOf(SHORT_SIZE, [SHORT_LIMITS]),
    // At the highest rate a crowd must be large, or all of it has just come.
    ...RATES.flatMap((rate) => {
      if (rate === FAST_LIMITS.rate) return crowdsAt(rate, { size: FAST_SIZE, seed: SEED });
      return RATE_SEEDS.flatMap((seed) => crowdsAt(rate, { size: RATE_SECONDS * rate, seed }));
    }),
  ];
}

function quickCrowds(): readonly NamedCrowd[] {
  return [
    ...crowdsOf(QUICK_SIZE, LIMITS),
    ...crowdsOf(SHORT_SIZE / 2, [SHORT_LIMITS], { silentShares: RATE_SILENT_SHARES }),
    ...QUICK_RATES.flatMap((rate) => crowdsAt(rate, { size: QUICK_SECONDS * rate, seed: SEED })),
  ];
}

const QUICK_SECONDS = 6;

/** With a burst of 1, and with what a queue has by default. */
function crowdsAt(rate: number, { size, seed }: { readonly size: number; readonly seed: number }): readonly NamedCrowd[] {
  const { admissionBurst } = queueSettingsSchema.parse({ name: "benchmark", maxActive: 1, admissionRate: rate });
  const limits = [...new Set([1, admissionBurst])].map((burst) => ({
    what: `${rate} a second, burst ${burst}`,
    maxActive: 100_000,
    rate,
    burst,
    stayMs: 60_000,
  }));
  return crowdsOf(Math.max(RATE_SIZE_MIN, size), limits, { silentShares: RATE_SILENT_SHARES, seed });
}

type Draws = { readonly silentShares?: readonly number[]; readonly seed?: number };

function crowdsOf(
  size: number,
  allLimits: readonly NamedLimits[],
  { silentShares = SILENT_SHARES, seed = SEED }: Draws = {},
): NamedCrowd[] {
  return allLimits.flatMap((limits) =>
    silentShares.map((silentShare) => ({
      ...gatherCrowd({ seed, size, silentShare, limits }),
      what: `${size.toLocaleString("en-GB")} people, ${Math.round(silentShare * 100)} % go silent, ${limits.what}`,
      seed,
    })),
  );
}

function faultOf({ crowd, score }: LineRun): string | undefined {
  const { overAdmissions, overRate, overtaken } = score;
  if (overAdmissions === 0 && overRate === 0 && overtaken.count === 0) return undefined;
  const order = `${overtaken.count} of ${overtaken.compared} overtaken, worst ${Math.round(overtaken.worstMs)} ms`;
  return `${crowd.what}, seed ${crowd.seed}: ${overAdmissions} over the cap, ${overRate} over the rate, ${order}`;
}

/** One row for all draws of a crowd. */
function ourRow(draws: readonly LineRun[]): BenchmarkRow {
  const most = (of: (run: LineRun) => number) => Math.max(...draws.map(of));
  const calls = most(({ crowd, score }) => score.storeCalls / crowd.visitors.length).toFixed(1);
  const load = `${calls} store calls per visitor, ${Math.round(most(({ score }) => score.pollsPerSecondMax))} polls a second in the busiest ten`;
  const worst = `worst ${Math.round(most(({ score }) => score.overtaken.worstMs))} ms`;
  return drainRow(draws, { what: "", aim: AIM, notes: `0 over the cap, 0 over the rate, 0 overtaken, ${worst}, ${load}` });
}

type NamedRival = { readonly what: string; readonly rival: Rival };

const RIVALS: readonly NamedRival[] = [
  { what: "rival: only the head enters, on its own poll", rival: headEntersOnOwnPoll },
  { what: "rival: a daemon pops blindly every 2 s", rival: daemonPopsBlindly },
];

function rivalRow(crowd: NamedCrowd, { what, rival }: NamedRival): BenchmarkRow {
  const score = rival(crowd, crowd.idealDrainMs * PATIENCE);
  return drainRow([{ crowd, score }], { what: `${what}; `, aim: 0, notes: `${score.ghosts} slots given to people who had left` });
}

type Drawn = { readonly crowd: NamedCrowd; readonly score: DrainTotal };
type DrainNotes = { readonly what: string; readonly aim: number; readonly notes: string };

function drainRow(draws: readonly Drawn[], { what, aim, notes }: DrainNotes): BenchmarkRow {
  const stall = `longest stall ${(Math.max(...draws.map(({ score }) => score.longestStallMs)) / 1_000).toFixed(1)} s`;
  return {
    ...benchmarkRow({
      what: what + (draws[0]?.crowd.what ?? ""),
      unit: "people/min",
      aim,
      subjectRounds: draws.map(({ score }) => (score.admitted * MINUTE_MS) / score.drainedMs),
      baselineRounds: draws.map(({ crowd }) => (crowd.visitors.filter(willStay).length * MINUTE_MS) / crowd.idealDrainMs),
    }),
    notes: `${stall}, ${notes}`,
  };
}
