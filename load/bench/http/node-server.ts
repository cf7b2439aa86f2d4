import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { spawnPinned } from "../pinned.ts";

type NodeServerOptions = {
  /** Any core by default. */
  readonly core?: 0 | 1;
  readonly file: string;
  /** This Node by default. */
  readonly program?: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly url: string;
  /** Answers 200 once the server is ready. */
  readonly readyPath: string;
  readonly readyWithinMs?: number;
};

export type NodeServer = {
  readonly url: string;
  readonly pid: number;
  /** Processor time so far, all threads together. */
  readonly cpuSeconds: () => number;
  readonly stop: () => Promise<void>;
};

const READY_WITHIN_MS = 10_000;
const PROBE_EVERY_MS = 20;

/** A Node program under measurement, pinned to a core if it names one and there are two. */
export async function startNodeServer(options: NodeServerOptions): Promise<NodeServer> {
  const {
    core,
    file,
    program = process.execPath,
    environment,
    url,
    readyPath,
    readyWithinMs = READY_WITHIN_MS,
  } = options;
  const env = { ...process.env, NODE_OPTIONS: "", SLUICE_LOG_LEVEL: "error", ...environment };
  const child = spawnPinned({
    ...(core === undefined ? {} : { core }),
    command: program,
    args: [file],
    spawnOptions: { env, stdio: ["ignore", "ignore", "inherit"] },
  });
  const exited = once(child, "exit");
  const deadline = performance.now() + readyWithinMs;
  while (!(await answersOk(url + readyPath))) {
    if (performance.now() > deadline || child.exitCode !== null) {
      child.kill("SIGKILL");
      throw new Error(`${file} was not ready in time`);
    }
    await sleep(PROBE_EVERY_MS);
  }

  return {
    url,
    pid: child.pid ?? 0,
    cpuSeconds: () => cpuSecondsOf(child.pid ?? 0),
    stop: async () => {
      child.kill("SIGTERM");
      await exited;
    },
  };
}

/** proc(5): the kernel counts in ticks of 10 ms; the name before the third field may contain spaces. */
export function cpuSecondsOf(pid: number): number {
  return cpuOf(`/proc/${pid}/stat`).seconds;
}

/** The same by thread: the main thread, named threads of ours, and all others together (garbage collector, compiler). */
export function cpuSecondsByThread(pid: number, named: readonly string[]): Readonly<Record<string, number>> {
  const seconds: Record<string, number> = Object.fromEntries(["main", ...named, "helpers"].map((name) => [name, 0]));
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const { name, seconds: ofThread } = cpuOf(`/proc/${pid}/task/${thread}/stat`);
    const part = thread === String(pid) ? "main" : named.includes(name) ? name : "helpers";
    seconds[part] = (seconds[part] ?? 0) + ofThread;
  }
  return seconds;
}

function cpuOf(file: string): { readonly name: string; readonly seconds: number } {
  const stat = readFileSync(file, "utf8");
  const end = stat.lastIndexOf(")");
  const fields = stat.slice(end + 2).split(" ");
  const ticks = Number(fields[USER_TICKS]) + Number(fields[SYSTEM_TICKS]);
  return { name: stat.slice(stat.indexOf("(") + 1, end), seconds: ticks / TICKS_PER_SECOND };
}

const USER_TICKS = 11;
const SYSTEM_TICKS = 12;
const TICKS_PER_SECOND = 100;

async function answersOk(url: string): Promise<boolean> {
  try {
    const response = await fetch(url);
    await response.arrayBuffer();
    return response.ok;
  } catch {
    return false;
  }
}
