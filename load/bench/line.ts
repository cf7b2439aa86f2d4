import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startRedisServer } from "../../origin/stack/redis-server.ts";
import { type Benchmark, type BenchmarkRow, benchmarkRow } from "./benchmark.ts";
import { type Crowd, type CrowdLimits, gatherCrowd, willStay } from "./line-crowd.ts";
import { daemonPopsBlindly, headEntersOnOwnPoll, type Rival } from "./line-rivals.ts";
import { runLine } from "./line-run.ts";
import type { DrainTotal, LineScore } from "./line-score.ts";

/**
 * The scoreboard: how fast a line of people moves, against the best that could be done with the same limits by somebody
 * who knows who will stay. Simulated time, so the figures are the same on every machine. Two rival policies meet the
 * same crowds.
 */
export const lineBenchmark: Benchmark = {
  name: "line",
  run: async ({ quick }) => {
    const folder = await mkdtemp(join(tmpdir(), "sluice-bench-"));
    const redis = await startRedisServer({ folder, fsync: "no" });
    try {
      const rows: BenchmarkRow[] = [];
      for (const size of quick ? QUICK_SIZES : SIZES) {
        for (const crowd of crowdsOf(size)) rows.push(ourRow(crowd, await runLine(redis.url, crowd)));
      }
      for (const crowd of quick ? [] : crowdsOf(FAST_SIZE, FAST_LIMITS)) rows.push(ourRow(crowd, await runLine(redis.url, crowd)));
      const rivalSize = quick ? QUICK_SIZES[0] : SIZES[0];
      return [...rows, ...RIVALS.flatMap((rival) => crowdsOf(rivalSize).map((crowd) => rivalRow(crowd, rival)))];
    } finally {
      await redis.stop();
      await rm(folder, { recursive: true, force: true });
    }
  },
};

const SIZES = [1_000, 10_000] as const;
const FAST_SIZE = 20_000;
const QUICK_SIZES = [500] as const;
const SILENT_SHARES = [0, 0.3, 0.6] as const;
const SEED = 1;
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
const FAST_LIMITS: readonly NamedLimits[] = [{ what: "300 a second", maxActive: 100_000, rate: 300, burst: 100, stayMs: 60_000 }];

type NamedCrowd = Crowd & { readonly what: string };

function crowdsOf(size: number, allLimits = LIMITS): NamedCrowd[] {
  return allLimits.flatMap((limits) =>
    SILENT_SHARES.map((silentShare) => ({
      ...gatherCrowd({ seed: SEED, size, silentShare, limits }),
      what: `${size.toLocaleString("en-GB")} people, ${Math.round(silentShare * 100)} % go silent, ${limits.what}`,
    })),
  );
}

function ourRow(crowd: NamedCrowd, score: LineScore): BenchmarkRow {
  const { overAdmissions, overRate, overtaken, storeCalls, pollsPerSecondMax } = score;
  if (overAdmissions > 0 || overRate > 0) throw new Error(`${crowd.what}: ${overAdmissions} slots and ${overRate} entries too many`);
  const calls = (storeCalls / crowd.visitors.length).toFixed(1);
  const load = `${calls} store calls per visitor, ${Math.round(pollsPerSecondMax)} polls a second in the busiest ten`;
  return drainRow(crowd, {
    score,
    what: "",
    aim: AIM,
    notes: `0 over the cap, 0 over the rate, ${overtaken.count} overtaken, worst ${Math.round(overtaken.worstMs)} ms, ${load}`,
  });
}

type NamedRival = { readonly what: string; readonly rival: Rival };

const RIVALS: readonly NamedRival[] = [
  { what: "rival: only the head enters, on its own poll", rival: headEntersOnOwnPoll },
  { what: "rival: a daemon pops blindly every 2 s", rival: daemonPopsBlindly },
];

function rivalRow(crowd: NamedCrowd, { what, rival }: NamedRival): BenchmarkRow {
  const score = rival(crowd, crowd.idealDrainMs * PATIENCE);
  return drainRow(crowd, { score, what: `${what}; `, aim: 0, notes: `${score.ghosts} slots given to people who had left` });
}

type Drain = { readonly score: DrainTotal; readonly what: string; readonly aim: number; readonly notes: string };

function drainRow(crowd: NamedCrowd, { score, what, aim, notes }: Drain): BenchmarkRow {
  const present = crowd.visitors.filter((visitor) => willStay(visitor)).length;
  const stall = `longest stall ${(score.longestStallMs / 1_000).toFixed(1)} s`;
  return {
    ...benchmarkRow({
      what: what + crowd.what,
      unit: "people/min",
      aim,
      subjectRounds: [(score.admitted * MINUTE_MS) / score.drainedMs],
      baselineRounds: [(present * MINUTE_MS) / crowd.idealDrainMs],
    }),
    notes: `${stall}, ${notes}`,
  };
}
