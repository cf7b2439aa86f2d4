import { mkdir } from "node:fs/promises";
import { cpus, release, totalmem, type } from "node:os";
import { join } from "node:path";
import { systemClock } from "../shared/clock.ts";
import { listenForStop } from "../stack/listen-for-stop.ts";
import { sentenceOf } from "../stack/program/command-line.ts";
import { optionHelp } from "./options/option-table.ts";
import type { PlannedRun, Scenario } from "./options/scenario.ts";
import { createTerminalProgress } from "./progress/terminal-progress.ts";
import type { RunRecord } from "./record/run-record.ts";
import { keyFigures } from "./report/figures.ts";
import { verdictSentence } from "./report/run-title.ts";
import { writeReport } from "./report/write-report.ts";
import { SCENARIOS } from "./scenarios.ts";
import { judge } from "./verdict/judge.ts";

/**
 * `npm run load -- SCENARIO [options]`: puts a load on a gate and writes a record, a verdict and a report. Ctrl-C ends
 * the run early; its record is written all the same.
 */
const FOLDER_BY_DEFAULT = join(".sluice", "load");
const OUT_OPTION = "--out";
const [name, ...given] = process.argv.slice(2);
const { folder: FOLDER, rest: args } = takeFolder(given);
process.stdout.on("error", () => {});
process.exitCode = await main();
// The open channel to the parent process would keep this one alive.
process.exit();

async function main(): Promise<number> {
  if (name === undefined || name === "--help" || name === "-h") return help(name === undefined ? 1 : 0);
  const scenario = SCENARIOS.find((one) => one.name === name);
  if (scenario === undefined)
    return complain([
      `${name}: no such ${name.startsWith("-") ? "option" : "scenario"}; there are ${SCENARIOS.map((one) => one.name).join(", ")}`,
    ]);
  if (args.includes("--help") || args.includes("-h")) return helpOn(scenario);
  if (args.includes(OUT_OPTION)) return complain([`${OUT_OPTION}: needs a value (FOLDER)`]);
  const planned = scenario.plan(args);
  if (!planned.ok) return complain([...planned.reason, `npm run load -- ${name} --help lists what there is`]);
  try {
    // Before the run, so that a folder that cannot be written is known before half an hour has passed.
    await mkdir(FOLDER, { recursive: true });
  } catch (error) {
    return complain([sentenceOf(error)]);
  }
  return run(planned.value);
}

async function run(planned: PlannedRun): Promise<number> {
  const startedAtMs = performance.now();
  const progress = createTerminalProgress({ output: process.stdout, elapsedMs: () => performance.now() - startedAtMs });
  try {
    return await conclude(await planned({ signal: listenForStop(), progress, clock: systemClock }));
  } catch (error) {
    progress.end();
    return complain([sentenceOf(error)]);
  }
}

async function conclude(run: RunRecord): Promise<number> {
  const record = { machine: machineFacts(), ...run };
  const folder = join(
    FOLDER,
    `${record.scenario}-${new Date(record.startedAt).toISOString().replaceAll(":", "-").slice(0, 19)}`,
  );
  const verdict = judge(record);
  const files = await writeReport(record, verdict, folder);
  for (const { name: what, value, note } of keyFigures(record)) say(`  ${what}: ${value} (${note})`);
  for (const { name: what, expected, seen, isMet } of verdict.lines)
    say(isMet ? `✓ ${what}: ${seen}` : `✗ ${what}: expected ${expected}, seen ${seen}`);
  say(`${verdictSentence(verdict)}\n${files.html}`);
  return verdict.isMet ? 0 : 1;
}

/** Processor, memory and versions, to compare runs by. */
function machineFacts(): string {
  const cores = cpus();
  const gigabytes = Math.round(totalmem() / 2 ** 30);
  const processor = `${cores[0]?.model.trim() ?? "unknown processor"}, ${cores.length} cores, ${gigabytes} GB`;
  return `${processor}; ${type()} ${release()}; Node ${process.versions.node}`;
}

function help(exitCode: number): number {
  const width = Math.max(...SCENARIOS.map((one) => one.name.length));
  say("npm run load -- SCENARIO [options]\n");
  for (const one of SCENARIOS) say(`  ${one.name.padEnd(width)}  ${one.summary}`);
  say("\nnpm run load -- SCENARIO --help lists its options. Ctrl-C ends a run early and keeps its record.");
  return exitCode;
}

/** Scenarios do not know where the record goes. */
function takeFolder(all: readonly string[]): { readonly folder: string; readonly rest: readonly string[] } {
  const at = all.indexOf(OUT_OPTION);
  const folder = at === -1 ? undefined : all[at + 1];
  return folder === undefined ? { folder: FOLDER_BY_DEFAULT, rest: all } : { folder, rest: all.toSpliced(at, 2) };
}

function helpOn({ name: scenarioName, summary, options }: Scenario): number {
  say(`npm run load -- ${scenarioName} [options]: ${summary}\n`);
  for (const line of optionHelp(options)) say(line);
  say(`\n  ${OUT_OPTION} FOLDER  where the record goes (${FOLDER_BY_DEFAULT})`);
  return 0;
}

function complain(faults: readonly string[]): number {
  for (const fault of faults) process.stderr.write(`${fault}\n`);
  return 1;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
