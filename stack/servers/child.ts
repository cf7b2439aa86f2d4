import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { assert } from "../../shared/assert.ts";
import { findProgram } from "./find-program.ts";
import { openRotatingLog } from "./rotating-log.ts";

/** A part of the stack that runs as its own process. It never outlives this process, and reports why it ended. */
export type Child = {
  readonly name: string;
  readonly pid: number;
  /** The child's output on file descriptor 3, where a program reports to its parent. */
  readonly reports: Readable;
  readonly exited: Promise<ChildExit>;
  readonly hasExited: () => boolean;
  /** SIGTERM, then SIGKILL. Returns when the process has exited; safe to call twice. */
  readonly stop: () => Promise<void>;
};

export type ChildExit = {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly lastLines: readonly string[];
};

type ChildOptions = {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly environment?: NodeJS.ProcessEnv;
  readonly logFile?: string;
  /** Runs as another user: a server that refuses to be root. */
  readonly identity?: { readonly uid?: number; readonly gid?: number };
  readonly stopWithinMs?: number;
};

const LAST_LINES_MAX = 15;
/** Five parts stop one after the other, and the whole stack promises to be gone within 5 s. */
const STOP_WITHIN_MS = 900;
export const REPORTS_FD = 3;

export function startChild(options: ChildOptions): Child {
  const { name, stopWithinMs = STOP_WITHIN_MS } = options;
  const { command, args } = withDeathSignal(options.command, options.args);
  const environment = options.environment ?? process.env;
  // Detached: Ctrl-C reaches only the supervisor, which then stops the parts in order.
  const childProcess = spawn(command, args, {
    env: environment,
    detached: true,
    ...options.identity,
    stdio: ["ignore", "pipe", "pipe", "pipe"],
  });
  const lastLines = collectLines(childProcess, options.logFile);
  let exit: ChildExit | undefined;

  const exited = new Promise<ChildExit>((resolve) => {
    const settle = (code: number | null, signal: NodeJS.Signals | null) => {
      exit ??= { code, signal, lastLines };
      resolve(exit);
    };
    // "close" comes after the last output line, so the reason is complete.
    childProcess.once("close", settle);
    childProcess.once("error", (error) => {
      lastLines.push(error.message);
      settle(null, null);
    });
  });

  async function stop(): Promise<void> {
    if (exit !== undefined) return;
    childProcess.kill("SIGTERM");
    const inTime = await Promise.race([exited, sleep(stopWithinMs, "late" as const, { ref: false })]);
    if (inTime === "late") childProcess.kill("SIGKILL");
    await exited;
  }

  const reports = childProcess.stdio[REPORTS_FD] as Readable;
  // Never a number that kill() would take for a group or for all processes: NaN throws.
  const child = {
    name,
    pid: childProcess.pid ?? Number.NaN,
    reports,
    exited,
    hasExited: () => exit !== undefined,
    stop,
  };
  living.add(child);
  void exited.then(() => living.delete(child));
  return child;
}

/** In order of their start. */
const living = new Set<Child>();

/** Stops every child of this process, the newest first, also those whose start was given up. */
export async function stopAllChildren(): Promise<void> {
  for (const child of [...living].reverse()) await child.stop();
}

/** One sentence on how a part ended, followed by its last output lines. */
export function describeExit(name: string, { code, signal, lastLines }: ChildExit): string {
  const how = signal !== null ? `was ended by ${signal}` : `exited with code ${code ?? "unknown"}`;
  const words = lastLines.map((line) => `    ${line}`).join("\n");
  return words === "" ? `${name} ${how}, without output.` : `${name} ${how}. Its last lines:\n${words}`;
}

/** On Linux the kernel kills the child when this process is killed and no handler can run. */
function withDeathSignal(command: string, args: readonly string[]): { command: string; args: readonly string[] } {
  const setpriv = process.platform === "linux" ? findProgram("setpriv") : undefined;
  return setpriv === undefined
    ? { command, args }
    : { command: setpriv, args: ["--pdeathsig", "KILL", "--", command, ...args] };
}

function collectLines(childProcess: ChildProcess, logFile: string | undefined): string[] {
  const lastLines: string[] = [];
  const log = logFile === undefined ? undefined : openRotatingLog(logFile);
  const { stdout, stderr } = childProcess;
  assert(stdout !== null && stderr !== null, "a child's output is piped");
  for (const stream of [stdout, stderr]) {
    createInterface({ input: stream }).on("line", (line) => {
      log?.write(line);
      lastLines.push(line);
      if (lastLines.length > LAST_LINES_MAX) lastLines.shift();
    });
  }
  childProcess.once("close", () => log?.end());
  return lastLines;
}
