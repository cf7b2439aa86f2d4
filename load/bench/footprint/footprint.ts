import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { assert } from "../../../shared/assert.ts";
import { freePort } from "../../../stack/servers/free-port.ts";
import { type Benchmark, benchmarkRow } from "../benchmark.ts";

/**
 * What `npm start` costs a machine that does nothing else with it: the resident memory of the supervisor and its parts,
 * and the time until the addresses are printed. The first start, which creates stores and compiles, is not measured.
 */
export const footprintBenchmark: Benchmark = {
  name: "footprint",
  run: async ({ quick }) => {
    const folder = await mkdtemp(join(tmpdir(), "sluice-bench-"));
    try {
      const ports = [await freePort(), await freePort(), await freePort()];
      const starts: Start[] = [];
      for (let round = 0; round <= (quick ? 1 : ROUNDS); round++) starts.push(await startOnce(folder, ports));
      const measured = starts.slice(1);
      const [last] = measured.slice(-1);
      assert(last !== undefined, "the stack was started");
      return [
        {
          ...benchmarkRow({
            what: "memory of an idle npm start, against 550 MB",
            unit: "1/GB",
            aim: 1,
            subjectRounds: measured.map(({ parts }) => GB / sum(parts.map(({ residentMb }) => residentMb))),
            baselineRounds: [GB / MEMORY_MB_MAX],
          }),
          notes: last.parts.map(describe).join(", "),
        },
        benchmarkRow({
          what: "npm start with packages installed, against 4 s",
          unit: "1/s",
          aim: 1,
          subjectRounds: measured.map(({ tookMs }) => SECOND_MS / tookMs),
          baselineRounds: [SECOND_MS / START_MS_MAX],
        }),
      ];
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
};

const ROUNDS = 5;
const GB = 1_000;
const MEMORY_MB_MAX = 550;
const SECOND_MS = 1_000;
const START_MS_MAX = 4_000;
/** Projections and sweeps have come to rest by then. */
const IDLE_MS = 5_000;
const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const UP = "Ctrl-C stops everything.";

type PartMemory = { readonly name: string; readonly residentMb: number; readonly sharedOutMb: number };
type Start = { readonly tookMs: number; readonly parts: readonly PartMemory[] };

async function startOnce(folder: string, [port, originPort, bridgePort]: readonly number[]): Promise<Start> {
  const startedMs = performance.now();
  const launcher = spawn(process.execPath, ["stack/prepare.mjs", "stack/main.ts"], {
    cwd: ROOT,
    env: {
      ...process.env,
      SLUICE_DATA_DIR: folder,
      SLUICE_PORT: String(port),
      SLUICE_ORIGIN_PORT: String(originPort),
      SLUICE_BRIDGE_PORT: String(bridgePort),
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(launcher, "exit");
  try {
    await Promise.race([
      lineOf(launcher.stdout, UP),
      exited.then(() => {
        throw new Error("npm start ended before it was up");
      }),
    ]);
    const tookMs = performance.now() - startedMs;
    await sleep(IDLE_MS);
    const [supervisor] = childrenOf(launcher.pid ?? 0);
    assert(supervisor !== undefined, "the launcher has started the supervisor");
    return { tookMs, parts: [supervisor, ...descendantsOf(supervisor)].map(memoryOf) };
  } finally {
    launcher.kill("SIGTERM");
    await exited;
  }
}

async function lineOf(stream: NodeJS.ReadableStream, text: string): Promise<void> {
  for await (const line of createInterface({ input: stream })) if (line.includes(text)) return;
  throw new Error("npm start said nothing more");
}

function descendantsOf(pid: number): readonly number[] {
  return childrenOf(pid).flatMap((child) => [child, ...descendantsOf(child)]);
}

function childrenOf(pid: number): readonly number[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, "utf8").trim().split(" ").filter(Boolean).map(Number),
  );
}

/** proc(5): resident memory counts a page that processes share in each of them, the proportional set only once. */
function memoryOf(pid: number): PartMemory {
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, "utf8");
  const megabytes = (field: string) => Number(new RegExp(`^${field}: +(\\d+) kB`, "m").exec(rollup)?.[1]) / 1_024;
  const command = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
  const name = command.find((word) => /main\.ts$/.test(word)) ?? command[0] ?? "";
  return {
    name: name.replace(ROOT, "").replace(/.*\/bin\//, ""),
    residentMb: megabytes("Rss"),
    sharedOutMb: megabytes("Pss"),
  };
}

function describe({ name, residentMb, sharedOutMb }: PartMemory): string {
  return `${name.split(" ")[0]} ${residentMb.toFixed(0)} MB (${sharedOutMb.toFixed(0)} with shared pages counted once)`;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
