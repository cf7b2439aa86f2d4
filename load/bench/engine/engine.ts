import { assert } from "../../../shared/assert.ts";
import { alternate, type Benchmark, type BenchmarkRow, benchmarkRow } from "../benchmark.ts";
import { auctionRows } from "./engine-auction.ts";
import { bareBook } from "./engine-bare-book.ts";
import { hftLimitOrderBook, nodejsOrderBook, type Player, type Prepare } from "./engine-books.ts";
import { floorOfEngine } from "./engine-floor.ts";
import {
  MIXES,
  type Mix,
  mixedOperations,
  type OperationFile,
  oneLevelOperations,
  sweepOperations,
} from "./engine-operations.ts";
import { triggerRows } from "./engine-triggers.ts";
import { wholeEngine } from "./engine-venue.ts";

/**
 * The engine without store and network, compared with order books from npm: the same operations for each, in one
 * thread. Figures are in processor time, so that other processes matter less and garbage collection counts. A book that
 * ends in another state fails the run.
 */
export const engineBenchmark: Benchmark = {
  name: "engine",
  run: async ({ quick }) => {
    const effort = quick ? QUICK : FULL;
    const rows: BenchmarkRow[] = [];
    for (const mix of MIXES) {
      const file = mixedOperations(mix, { standing: effort.standing, count: effort.operations });
      const book = `${mix.name} book of ${count(effort.standing)}`;
      rows.push(
        await compare(file, {
          ...effort,
          what: `${book}: engine with balances and events, against nodejs-order-book`,
          aim: 15,
        }),
      );
      const hft = {
        ...effort,
        baseline: hftLimitOrderBook,
        what: `${book}: the same, against hft-limit-order-book`,
        aim: 15,
      };
      rows.push(await compare(file, hft));
      const bare = { ...effort, subject: bareBook, what: `${book}: its book only, against nodejs-order-book`, aim: 15 };
      rows.push(await compare(file, bare));
      const floor = {
        ...effort,
        subject: floorOfEngine,
        what: `${book}: a lower bound for these answers, against nodejs-order-book`,
        aim: 0,
      };
      rows.push(await compare(file, floor));
      rows.push(longestCommand(file, { where: book, ...effort }));
    }
    const level = oneLevelOperations({ standing: effort.level, cancels: effort.cancels });
    const cancels = `cancels among ${count(effort.level)} orders on one level`;
    rows.push(
      await compare(level, {
        ...effort,
        what: `${cancels}: engine with balances and events, against nodejs-order-book`,
        aim: 15,
      }),
    );
    const sweep = sweepOperations({ standing: effort.level });
    rows.push(
      longestCommand(sweep, { where: `one order through ${count(effort.level)} others`, rounds: effort.rounds }),
    );
    rows.push(...(await triggerRows(MIXES[0] as Mix, effort)));
    return [...rows, ...speedRows(rows), ...auctionRows({ orders: effort.auction, rounds: effort.rounds })];
  },
};

const FULL = {
  standing: 20_000,
  operations: 60_000,
  level: 20_000,
  cancels: 2_000,
  auction: 200_000,
  stops: 100_000,
  cascade: 10_000,
  rounds: 5,
  plays: 8,
};
const QUICK = {
  standing: 200,
  operations: 2_000,
  level: 300,
  cancels: 100,
  auction: 2_000,
  stops: 200,
  cascade: 300,
  rounds: 1,
  plays: 1,
};
const WARM_UPS = 3;

type Comparison = {
  readonly what: string;
  readonly aim: number;
  readonly rounds: number;
  /** Repetitions of the subject per round: one run is so short that another process could dominate it. */
  readonly plays: number;
  readonly subject?: Prepare;
  readonly baseline?: Prepare;
};

async function compare(file: OperationFile, comparison: Comparison) {
  const { what, aim, rounds, plays, subject = wholeEngine, baseline = nodejsOrderBook } = comparison;
  const lotsLeft = lotsLeftAfter(subject, file);
  assert(lotsLeft > 0 && lotsLeft === lotsLeftAfter(baseline, file), `${what}: the books are empty or differ`);
  for (let round = 1; round < Math.min(WARM_UPS, rounds); round++) perProcessorSecond(subject, file, plays);
  const measured = await alternate({
    rounds,
    subject: async () => perProcessorSecond(subject, file, plays),
    baseline: async () => perProcessorSecond(baseline, file, 1),
  });
  return benchmarkRow({ ...measured, what, unit: "operations per second of processor time", aim });
}

function lotsLeftAfter(prepare: Prepare, { before, measured }: OperationFile): number {
  const player = prepare({ before, measured });
  player.play(0, before.length + measured.length);
  return player.lotsLeft();
}

function perProcessorSecond(prepare: Prepare, file: OperationFile, plays: number): number {
  const micros = Array.from({ length: plays }, () => processorMicros(prepare(file), file));
  return (plays * file.measured.length * 1_000_000) / micros.reduce((sum, each) => sum + each, 0);
}

function processorMicros(player: Player, { before, measured }: OperationFile): number {
  player.play(0, before.length);
  const start = process.cpuUsage();
  player.play(before.length, before.length + measured.length);
  const { user, system } = process.cpuUsage(start);
  return user + system;
}

/**
 * Each command by wall-clock time, because the processor counter has steps of milliseconds. Other processes can only
 * make a command longer, so the round with the shortest maximum counts.
 */
function longestCommand(
  file: OperationFile,
  { where, rounds }: { readonly where: string; readonly rounds: number },
): BenchmarkRow {
  const longestMs = Math.min(...Array.from({ length: rounds }, () => longestMsOf(file)));
  const row = benchmarkRow({
    what: `${where}: the longest command of the engine, against 5 ms`,
    unit: "commands per second",
    aim: 1,
    subjectRounds: [1_000 / longestMs],
    baselineRounds: [1_000 / COMMAND_MS_MAX],
  });
  return { ...row, notes: `${longestMs.toFixed(2)} ms` };
}

function longestMsOf(file: OperationFile): number {
  const player = wholeEngine(file);
  const from = file.before.length;
  player.play(0, from);
  let longestMs = 0.001;
  for (let next = from; next < from + file.measured.length; next++) {
    const startedMs = performance.now();
    player.play(next, next + 1);
    longestMs = Math.max(longestMs, performance.now() - startedMs);
  }
  return longestMs;
}

const COMMAND_MS_MAX = 5;

/** Absolute targets, compared with the same rounds. */
function speedRows(rows: readonly BenchmarkRow[]): readonly BenchmarkRow[] {
  const wanted = [
    {
      start: "tight",
      perSecond: 1_000_000,
      what: "tight book: engine with balances and events, against a million a second",
    },
    {
      start: "cancels",
      perSecond: 500_000,
      what: "cancels on one level: engine with balances and events, against 500,000 a second",
    },
  ];
  return wanted.flatMap(({ start, perSecond, what }) => {
    const source = rows.find((row) => row.what.startsWith(start));
    if (source === undefined) return [];
    const { subjectRounds, unit } = source;
    return [benchmarkRow({ what, unit, aim: 1, subjectRounds, baselineRounds: [perSecond] })];
  });
}

function count(size: number): string {
  return size.toLocaleString("en-GB");
}
