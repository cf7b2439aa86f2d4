import { once } from "node:events";
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { spawnPinned } from "./pinned.ts";

type NodeServerOptions = {
  readonly core: 0 | 1;
  readonly file: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly url: string;
  /** Answers 200 once the server can take load. */
  readonly readyPath: string;
  readonly readyWithinMs?: number;
};

export type NodeServer = {
  readonly url: string;
  /** What it has taken of its core since it was started. It says more than a clock where others share the machine. */
  readonly cpuMs: () => number;
  readonly stop: () => Promise<void>;
};

const READY_WITHIN_MS = 10_000;
const PROBE_EVERY_MS = 20;

/** One of our Node programs as the process under measurement, on a core of its own where there are two. */
export async function startNodeServer(options: NodeServerOptions): Promise<NodeServer> {
  const { core, file, environment, url, readyPath, readyWithinMs = READY_WITHIN_MS } = options;
  const env = { ...process.env, NODE_OPTIONS: "", SLUICE_LOG_LEVEL: "error", ...environment };
  const child = spawnPinned({
    core,
    command: process.execPath,
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
    cpuMs: () => cpuMsOf(child.pid ?? 0),
    stop: async () => {
      child.kill("SIGTERM");
      await exited;
    },
  };
}

/** The kernel counts in hundredths of a second. */
const TICK_MS = 10;
const USER_TIME_FIELD = 11;

/** Linux tells it in /proc; elsewhere it is not known. */
function cpuMsOf(pid: number): number {
  try {
    const afterName = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1) ?? "";
    const [user, system] = afterName.split(" ").slice(USER_TIME_FIELD);
    return (Number(user) + Number(system)) * TICK_MS;
  } catch {
    return Number.NaN;
  }
}

async function answersOk(url: string): Promise<boolean> {
  try {
    const response = await fetch(url);
    await response.arrayBuffer();
    return response.ok;
  } catch {
    return false;
  }
}
