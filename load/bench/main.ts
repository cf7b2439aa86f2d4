import { spawnSync } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { cpus } from "node:os";
import { complain, readArgs, runCommand } from "../../stack/program/command-line.ts";
import type { Benchmark, BenchmarkRow } from "./benchmark.ts";
import { bridgeBenchmark } from "./bridge/bridge.ts";
import { drawBook } from "./draw-book.ts";
import { engineBenchmark } from "./engine/engine.ts";
import { footprintBenchmark } from "./footprint/footprint.ts";
import { gateBenchmark } from "./gate/gate.ts";
import { identityBenchmark } from "./identity/identity.ts";
import { ledgerBenchmark } from "./ledger/ledger.ts";
import { lineBenchmark } from "./line/line.ts";
import { lineCostBenchmark } from "./line/line-cost.ts";
import { liveBenchmark } from "./live/live.ts";
import { marketBenchmark } from "./market/market.ts";
import { ordersBenchmark } from "./orders/orders.ts";
import { ordersHttpBenchmark } from "./orders/orders-http.ts";
import { pricesBenchmark } from "./prices/prices.ts";
import { proxyBenchmark } from "./proxy/proxy.ts";
import { replicasBenchmark } from "./replicas/replicas.ts";
import { formatRows, replaceSection } from "./report.ts";
import { tokenBenchmark } from "./token/token.ts";

/**
 * `npm run bench -- [names] [--quick] [--write]`: runs the named benchmarks or all of them, one after the other; `gate`
 * includes `line-cost`. `--write` updates their sections in docs/performance.md and its picture. A missed aim is
 * reported, but is not a failure: the speed of this machine at this minute does not decide whether the code is right.
 */
const BENCHMARKS: readonly Benchmark[] = [
  bridgeBenchmark,
  proxyBenchmark,
  gateBenchmark,
  tokenBenchmark,
  lineBenchmark,
  lineCostBenchmark,
  replicasBenchmark,
  identityBenchmark,
  engineBenchmark,
  ordersBenchmark,
  ordersHttpBenchmark,
  ledgerBenchmark,
  liveBenchmark,
  marketBenchmark,
  pricesBenchmark,
  footprintBenchmark,
];
/** The cost of the gate has two parts: per request and per waiting visitor. */
const COMPANIONS: Readonly<Record<string, readonly string[]>> = { [gateBenchmark.name]: [lineCostBenchmark.name] };
const PERFORMANCE_FILE = new URL("../../docs/performance.md", import.meta.url);
const PICTURE_FILE = new URL("../../docs/images/performance.svg", import.meta.url);

const USAGE = `npm run bench -- [NAME ...] [--quick] [--write]

Runs all unless named: ${BENCHMARKS.map(({ name }) => name).join(", ")}.
--quick is too short for reliable figures; --write updates docs/performance.md.`;

const args = process.argv.slice(2);
process.exitCode = await runCommand({ usage: USAGE, args, run: runBenchmarks });

async function runBenchmarks(): Promise<number> {
  const options = { quick: { type: "boolean", default: false }, write: { type: "boolean", default: false } } as const;
  const read = readArgs({ args, allowPositionals: true, options });
  if (!read.ok) return complain(read.reason);
  const { values, positionals } = read.value;
  const unknown = positionals.filter((name) => !BENCHMARKS.some((benchmark) => benchmark.name === name));
  if (unknown.length > 0) {
    return complain(
      `No such benchmark: ${unknown.join(", ")}. There are: ${BENCHMARKS.map(({ name }) => name).join(", ")}.`,
    );
  }
  const wanted = new Set(positionals.flatMap((name) => [name, ...(COMPANIONS[name] ?? [])]));
  print(machineFacts());
  for (const benchmark of BENCHMARKS.filter(({ name }) => wanted.size === 0 || wanted.has(name))) {
    print(`\n## ${benchmark.name}${values.quick ? " (quick: too short for reliable figures)" : ""}\n`);
    const rows = await benchmark.run({ quick: values.quick });
    print(formatRows(rows));
    sayMissedAims(rows);
    if (values.write) await writeSection(benchmark.name, rows);
  }
  return 0;
}

function sayMissedAims(rows: readonly BenchmarkRow[]): void {
  for (const row of rows)
    if (row.ratio < row.aim) print(`MISSED: ${row.what}: ${row.ratio.toFixed(2)} of an aim of ${row.aim}`);
}

async function writeSection(name: string, rows: readonly BenchmarkRow[]): Promise<void> {
  const before = await readFile(PERFORMANCE_FILE, "utf8").catch(() => "# Performance\n");
  const page = replaceSection({ page: before, name, content: `${machineFacts()}\n\n${formatRows(rows)}` });
  await writeFile(PERFORMANCE_FILE, page);
  await writeFile(PICTURE_FILE, drawBook(page));
}

function machineFacts(): string {
  const cores = cpus();
  const redis = spawnSync("redis-server", ["--version"], { encoding: "utf8" }).stdout ?? "";
  const redisVersion = /v=(\S+)/.exec(redis)?.[1] ?? "not found";
  return `${cores[0]?.model.trim() ?? "unknown processor"}, ${cores.length} cores; Node ${process.versions.node}; Redis ${redisVersion}.`;
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
