import type { Command, OrderConditions } from "../../../origin/engine/command.ts";
import type { Engine } from "../../../origin/engine/engine.ts";
import { assert } from "../../../shared/assert.ts";
import { alternate, type BenchmarkRow, benchmarkRow } from "../benchmark.ts";
import { type Mix, mixedOperations, type OperationFile } from "./engine-operations.ts";
import { AT_MS, BATCH, commandsOf, openEngine, PAIR } from "./engine-venue.ts";

type Effort = {
  readonly standing: number;
  readonly operations: number;
  readonly rounds: number;
  /** Stops that rest while others trade, and stops that trigger each other. */
  readonly stops: number;
  readonly cascade: number;
};

/** The cost of resting triggers for plain orders, and how fast triggers run. */
export async function triggerRows(mix: Mix, effort: Effort): Promise<readonly BenchmarkRow[]> {
  const file = mixedOperations(mix, { standing: effort.standing, count: effort.operations });
  const stops = restingStops(effort.stops);
  const measured = await alternate({
    rounds: effort.rounds,
    subject: async () => perProcessorSecond(file, stops),
    baseline: async () => perProcessorSecond(file, []),
  });
  const number = effort.stops.toLocaleString("en-GB");
  const beside = benchmarkRow({
    ...measured,
    what: `${mix.name} book with ${number} resting stops that are not reached, against the same without`,
    unit: "operations per second of processor time",
    aim: 0.95,
  });
  return [beside, ...cascadeRows(effort)];
}

const NO_CONDITIONS = { trailingBps: 0, expiresAt: 0, targetProfitPpm: 0, stopLossPpm: 0 };

function stopAt(index: number, { stopTicks, lots }: { readonly stopTicks: number; readonly lots: number }): Command {
  const conditions: OrderConditions = { ...NO_CONDITIONS, stopTicks };
  return {
    ...{ id: `${AT_MS}-${index}-0`, at: AT_MS, kind: "place", user: `seller-${index % USERS}`, pair: PAIR, grid: 1 },
    ...{ side: "sell", type: "stop", ticks: 0, lots, quoteAmount: 0n, timeInForce: "IOC", postOnly: false },
    ...{ selfTrade: "cancelNewest", clientOrderId: "", openOrdersMax: 1_000_000, conditions },
  };
}

const USERS = 500;

/** Far below every price of the mix. */
function restingStops(count: number): readonly Command[] {
  return Array.from({ length: count }, (_, index) => stopAt(index, { stopTicks: 1_000 + (index % 5_000), lots: 1 }));
}

/** The stops come after the book: the commands of the file name orders by their numbers. */
function perProcessorSecond({ before, measured, ...file }: OperationFile, stops: readonly Command[]): number {
  const commands = commandsOf({ before, measured, ...file });
  const engine = openEngine();
  play(engine, commands.slice(0, before.length));
  play(engine, stops);
  const later = commands.slice(before.length).filter(({ kind }) => kind === "place");
  const start = process.cpuUsage();
  play(engine, later);
  const { user, system } = process.cpuUsage(start);
  return (later.length * 1_000_000) / (user + system);
}

function play(engine: Engine, commands: readonly Command[]): void {
  for (const [index, command] of commands.entries()) {
    engine.apply(command);
    if (index % BATCH === 0) engine.takeChanges();
  }
  engine.takeChanges();
}

const TOP_TICKS = 900_000;

/** Each stop sells to the next buy order, one tick lower, which reaches the next stop. */
function cascadeRows({ cascade, rounds }: Effort): readonly BenchmarkRow[] {
  const runs = Array.from({ length: rounds }, () => runCascade(cascade));
  const perSecond = runs.map(({ micros }) => (cascade * 1_000_000) / micros);
  const longestMs = Math.min(...runs.map((run) => run.longestMs));
  const number = cascade.toLocaleString("en-GB");
  const speed = benchmarkRow({
    what: `a cascade of ${number} stops, each triggered by the one before, against 300,000 orders a second`,
    ...{ unit: "orders per second of processor time", aim: 1, subjectRounds: perSecond, baselineRounds: [300_000] },
  });
  const step = benchmarkRow({
    what: `a cascade of ${number} stops: the longest step of the engine, against 5 ms`,
    ...{ unit: "steps per second", aim: 1, subjectRounds: [1_000 / longestMs], baselineRounds: [200] },
  });
  return [speed, { ...step, notes: `${longestMs.toFixed(2)} ms` }];
}

function runCascade(stops: number): { readonly micros: number; readonly longestMs: number } {
  const engine = openEngine();
  const head = { at: AT_MS, kind: "place", pair: PAIR, grid: 1, quoteAmount: 0n, postOnly: false } as const;
  const order = { ...head, selfTrade: "cancelNewest", clientOrderId: "", openOrdersMax: 1_000_000 } as const;
  const limit = { ...order, type: "limit", timeInForce: "GTC", lots: 1 } as const;
  const buys: Command[] = Array.from({ length: stops + 2 }, (_, index) => ({
    ...limit,
    ...{ id: `b-${index}`, user: `buyer-${index % USERS}`, side: "buy", ticks: TOP_TICKS - index },
  }));
  play(engine, buys);
  const sell = { ...limit, side: "sell", ticks: 1, user: "seller-0" } as const;
  engine.apply({ ...sell, id: "first" });
  const waiting = Array.from({ length: stops }, (_, index) =>
    stopAt(index, { stopTicks: TOP_TICKS - 1 - index, lots: 1 }),
  );
  play(engine, waiting);
  const start = process.cpuUsage();
  let longestMs = 0.001;
  let trades = 0;
  for (let step = 0; step === 0 || engine.nextDueAt() === 0; step++) {
    const startedMs = performance.now();
    if (step === 0) engine.apply({ ...sell, id: "second" });
    else engine.apply({ id: `t-${step}`, at: AT_MS, kind: "tick" });
    trades += engine.takeChanges().trades.length;
    longestMs = Math.max(longestMs, performance.now() - startedMs);
  }
  const { user, system } = process.cpuUsage(start);
  assert(trades === stops + 1, "every stop of the cascade has traded");
  return { micros: user + system, longestMs };
}
