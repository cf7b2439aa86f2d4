import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll } from "vitest";
import { freePort } from "../stack/servers/free-port.ts";
import { UNHURRIED, UNHURRIED_MS } from "./unhurried.ts";

/** `npm start` as a user runs it, on its own ports and in its own folder. */
export type StartedStack = {
  readonly url: string;
  readonly ports: StackPorts;
  readonly output: () => string;
  readonly process: ChildProcess;
  /** Resolves with the exit code. */
  readonly exited: Promise<number | null>;
};

type StackPorts = {
  readonly edge: number;
  readonly origin: number;
  readonly bridge: number;
  readonly lineRedis: number;
  readonly venueRedis: number;
};

type StartOptions = {
  readonly folder: string;
  readonly environment?: NodeJS.ProcessEnv;
  readonly args?: readonly string[];
  /** As npm starts it: through a shell, which may die before what it runs. */
  readonly isBehindShell?: boolean;
};

const root = fileURLToPath(new URL("../", import.meta.url));
const UP = /Sluice is up/;

/** A start takes seconds; on a busy machine, a minute. */
export const SLOW_MACHINE_MS = 240_000;

const launched: { readonly stack: ChildProcess; readonly exited: Promise<unknown> }[] = [];

// A test that failed half-way leaves its stack running; the kernel kills its parts with it.
afterAll(async () => {
  for (const { stack, exited } of launched) {
    if (stack.exitCode === null && stack.signalCode === null) stack.kill("SIGKILL");
    await exited;
  }
});

/** Starts the stack and does not wait for it. */
export async function launchStack({
  folder,
  environment = {},
  args = [],
  isBehindShell = false,
}: StartOptions): Promise<StartedStack> {
  const ports = {
    edge: await freePort(),
    origin: await freePort(),
    bridge: await freePort(),
    lineRedis: await freePort(),
    venueRedis: await freePort(),
  };
  const command = [process.execPath, "stack/prepare.mjs", "stack/main.ts", ...args];
  const [program = "", ...words] = isBehindShell ? ["sh", "-c", '"$0" "$@"; exit $?', ...command] : command;
  const stack = spawn(program, words, {
    cwd: root,
    env: {
      ...process.env,
      SLUICE_DATA_DIR: folder,
      SLUICE_PORT: String(ports.edge),
      SLUICE_ORIGIN_PORT: String(ports.origin),
      SLUICE_BRIDGE_PORT: String(ports.bridge),
      SLUICE_REDIS_PORT: String(ports.lineRedis),
      SLUICE_VENUE_REDIS_PORT: String(ports.venueRedis),
      ...UNHURRIED,
      SLUICE_BRIDGE_TIMEOUT_MS: String(UNHURRIED_MS),
      ...environment,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  stack.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
  stack.stderr.on("data", (chunk: Buffer) => (output += chunk.toString()));
  const exited = once(stack, "close").then(([code]) => code as number | null);
  launched.push({ stack, exited });
  return { url: `http://127.0.0.1:${ports.edge}`, ports, output: () => output, process: stack, exited };
}

/** Starts the stack and waits until it reports that it is up. */
export async function startStack(options: StartOptions): Promise<StartedStack> {
  const stack = await launchStack(options);
  const up = new Promise<void>((resolve) => {
    stack.process.stdout?.on("data", () => {
      if (UP.test(stack.output())) resolve();
    });
  });
  const ended = stack.exited.then((code) => {
    throw new Error(`the stack ended with ${code} instead of coming up:\n${stack.output()}`);
  });
  await Promise.race([up, ended]);
  return stack;
}

type StackProcess = { readonly pid: number; readonly command: string };

/** The processes with this working directory or with its path in their environment: every part of a stack. */
export function processesOf(folder: string): readonly StackProcess[] {
  return readdirSync("/proc")
    .filter((entry) => /^\d+$/.test(entry))
    .map((pid) => ({
      pid: Number(pid),
      command: look(() => readFileSync(`/proc/${pid}/cmdline`, "utf8")).replaceAll("\0", " "),
      traces: traces(pid),
    }))
    .filter(({ command, traces }) => command.includes(folder) || traces.includes(folder))
    .map(({ pid, command }) => ({ pid, command }));
}

/**
 * The one process of a stack whose command line holds this text. Throws rather than let a test signal the wrong one.
 */
export function processNamed(folder: string, text: string): StackProcess {
  const [found, ...others] = processesOf(folder).filter(({ command }) => command.includes(text));
  if (found === undefined || others.length > 0)
    throw new Error(`not exactly one process of ${folder} is named ${text}`);
  return found;
}

/** redis-server overwrites its command line and its environment with a title, but it works in its data folder. */
function traces(pid: string): string {
  return look(() => readlinkSync(`/proc/${pid}/cwd`)) + look(() => readFileSync(`/proc/${pid}/environ`, "utf8"));
}

function look(read: () => string): string {
  try {
    return read();
  } catch {
    // Ended between the listing and the look.
    return "";
  }
}
