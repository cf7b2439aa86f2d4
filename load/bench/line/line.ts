import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { queueSettingsSchema } from "../../../edge/line/settings.ts";
import { startRedisServer } from "../../../stack/servers/redis-server.ts";
import type { CrowdLimits, DrainTotal, LineScore } from "../../verdict/line-score.ts";
import { type Benchmark, type BenchmarkRow, benchmarkRow } from "../benchmark.ts";
import { type Crowd, gatherCrowd, willStay } from "./line-crowd.ts";
import { daemonPopsBlindly, headEntersOnOwnPoll, type Rival } from "./line-rivals.ts";
import { runLine } from "./line-run.ts";

/**
 * How fast the line moves, compared with the ideal line under the same limits. Time is simulated, so the figures are
 * the same on every machine. Two rival policies serve the same crowds. If the cap or the rate is exceeded, or a visitor
 * is overtaken, the benchmark fails and names the crowds.
 */
export const lineBenchmark: Benchmark = {
  name: "line",
  run: async ({ quick }) => {
    const rivalCrowds = crowdsOf(quick ? QUICK_SIZE : SIZES[0], LIMITS);
    const ours = await scoreCrowds(quick ? quickCrowds() : fullCrowds());
    return [...ours, ...RIVALS.flatMap((rival) => rivalCrowds.map((crowd) => rivalRow(crowd, rival)))];
  },
};

/** One row per crowd. Throws if the line broke a promise. */
export async function scoreCrowds(crowds: readonly NamedCrowd[]): Promise<readonly BenchmarkRow[]> {
  const folder = await mkdtemp(join(tmpdir(), "sluice-bench-"));
  const redis = await startRedisServer({ folder, fsync: "no" });
  try {
    const runs: LineRun[] = [];
    for (const crowd of crowds) runs.push({ crowd, score: await runLine(redis.url, crowd) });
    const broken = runs.flatMap((run) => faultOf(run) ?? []);
    if (broken.length > 0) throw new Error(`the line broke a promise:\n${broken.join("\n")}`);
    return [...Map.groupBy(runs, ({ crowd }) => crowd.what).values()].map((draws) => ourRow(draws));
  } finally {
    await redis.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

const SIZES = [1_000, 10_000] as const;
const QUICK_SIZE = 500;
const SILENT_SHARES = [0, 0.3, 0.6] as const;
const SEED = 1;
/** The draw of silent visitors decides whether one is overtaken: small crowds are drawn several times. */
const RATE_SEEDS = [1, 2, 3, 4, 5] as const;
const AIM = 0.95;
/** How much longer than the ideal line a rival may take. */
const PATIENCE = 4;
const MINUTE_MS = 60_000;

type NamedLimits = CrowdLimits & { readonly what: string };

/** A thousand visitors a minute, limited once by the rate and once by the slots. */
const RATE_LIMITS: NamedLimits = {
  what: "limited by the rate",
  maxActive: 2_000,
  rate: 1_000 / 60,
  burst: 20,
  stayMs: 60_000,
};
const SLOT_LIMITS: NamedLimits = { what: "limited by the slots", maxActive: 300, rate: 30, burst: 30, stayMs: 30_000 };
const LIMITS = [RATE_LIMITS, SLOT_LIMITS];

/** Large enough that polls near the head dominate the gate's load. */
const FAST_SIZE = 20_000;
const FAST_LIMITS: NamedLimits = {
  what: "300 a second, burst 100",
  maxActive: 100_000,
  rate: 300,
  burst: 100,
  stayMs: 60_000,
};

/** Sessions are so short that a slot left empty for a poll interval costs much. */
const SHORT_SIZE = 600;
const SHORT_LIMITS: NamedLimits = {
  what: "30 slots, 30 a second, sessions of 0.9 s",
  maxActive: 30,
  rate: 30,
  burst: 30,
  stayMs: 900,
};

/** Promise G13 holds at any rate and burst. */
const RATES = [0.5, 1, 5, 50, 300] as const;
const SMALL_RATES = [1, 5, 50] as const;
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
    // At the highest rate a small crowd would be over while it arrives.
    ...RATES.flatMap((rate) => {
      if (rate === FAST_LIMITS.rate) return crowdsAt(rate, { size: FAST_SIZE, seed: SEED });
      return RATE_SEEDS.flatMap((seed) => crowdsAt(rate, { size: RATE_SECONDS * rate, seed }));
    }),
  ];
}

/** One share of silent visitors under every kind of limit. */
function quickCrowds(): readonly NamedCrowd[] {
  const silentShares = [0.3];
  return [
    ...crowdsOf(QUICK_SIZE / 2, [RATE_LIMITS], { silentShares }),
    ...crowdsOf(QUICK_SIZE, [SLOT_LIMITS], { silentShares }),
    ...crowdsOf(SHORT_SIZE / 2, [SHORT_LIMITS], { silentShares }),
    ...crowdsAt(1, { size: QUICK_SECONDS, seed: SEED }),
  ];
}

/**
 * Small crowds under every limit, rate and share of silent visitors: less than the benchmark, more than its quick run.
 */
export function smallCrowds(): readonly NamedCrowd[] {
  return [
    ...crowdsOf(QUICK_SIZE, LIMITS),
    ...crowdsOf(SHORT_SIZE / 2, [SHORT_LIMITS], { silentShares: RATE_SILENT_SHARES }),
    ...SMALL_RATES.flatMap((rate) => crowdsAt(rate, { size: QUICK_SECONDS * rate, seed: SEED })),
  ];
}

const QUICK_SECONDS = 6;

/** With a burst of 1, and with the queue's default. */
function crowdsAt(
  rate: number,
  { size, seed }: { readonly size: number; readonly seed: number },
): readonly NamedCrowd[] {
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
      what: `${size.toLocaleString("en-GB")} visitors, ${Math.round(silentShare * 100)} % go silent, ${limits.what}`,
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
  return drainRow(draws, {
    what: "",
    aim: AIM,
    notes: `0 over the cap, 0 over the rate, 0 overtaken, ${worst}, ${load}`,
  });
}

type NamedRival = { readonly what: string; readonly rival: Rival };

const RIVALS: readonly NamedRival[] = [
  { what: "rival: only the head enters, on its own poll", rival: headEntersOnOwnPoll },
  { what: "rival: a daemon admits every 2 s, present or not", rival: daemonPopsBlindly },
];

function rivalRow(crowd: NamedCrowd, { what, rival }: NamedRival): BenchmarkRow {
  const score = rival(crowd, crowd.idealDrainMs * PATIENCE);
  return drainRow([{ crowd, score }], {
    what: `${what}; `,
    aim: 0,
    notes: `${score.ghosts} slots given to visitors who had left`,
  });
}

type Drawn = { readonly crowd: NamedCrowd; readonly score: DrainTotal };
type DrainNotes = { readonly what: string; readonly aim: number; readonly notes: string };

function drainRow(draws: readonly Drawn[], { what, aim, notes }: DrainNotes): BenchmarkRow {
  const stall = `longest stall ${(Math.max(...draws.map(({ score }) => score.longestStallMs)) / 1_000).toFixed(1)} s`;
  return {
    ...benchmarkRow({
      what: what + (draws[0]?.crowd.what ?? ""),
      unit: "visitors/min",
      aim,
      subjectRounds: draws.map(({ score }) => (score.admitted * MINUTE_MS) / score.drainedMs),
      baselineRounds: draws.map(
        ({ crowd }) => (crowd.visitors.filter(willStay).length * MINUTE_MS) / crowd.idealDrainMs,
      ),
    }),
    notes: `${stall}, ${notes}`,
  };
}
