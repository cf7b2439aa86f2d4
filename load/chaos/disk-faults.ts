import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFile, readdir, readFile, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import postgres from "postgres";
import { JOURNAL_KEY } from "../../origin/journal/keys.ts";
import { healthReportSchema } from "../../shared/http/health.ts";
import type { Cell } from "./cell.ts";
import type { ChaosStack, PartName } from "./chaos-stack.ts";
import type { StackPart } from "./stack-part.ts";

type Inject = Cell["inject"];

const SLOW_FSYNC_MICROSECONDS = 250_000;

/** Each fsync takes a quarter of a second. */
export function slowDisk(name: PartName): Inject {
  return async ({ parts }) => {
    const delay = `inject=fdatasync:delay_enter=${SLOW_FSYNC_MICROSECONDS}`;
    const stop = await tamperWith(parts[name].pid(), ["-e", "trace=fdatasync", "-e", delay]);
    return async () => {
      await stop();
    };
  };
}

/** The lease is written twice a second, so a write fails soon. */
const FILLED_WITHIN_MS = 10_000;

/**
 * Every write to the append-only file fails with ENOSPC. Redis must exit rather than acknowledge a write that is not on
 * disk.
 */
export const venueDiskFull: Inject = async ({ parts, folder }) => {
  const redis = parts["venue-redis"];
  const file = await appendOnlyFile(folder);
  const stop = await tamperWith(redis.pid(), [
    "-e",
    "trace=write,pwrite64,writev",
    "-P",
    file,
    "-e",
    "inject=write,pwrite64,writev:error=ENOSPC",
  ]);
  const hasEnded = await redis.endsWithin(FILLED_WITHIN_MS);
  if (!hasEnded) {
    await stop();
    throw new Error("Redis kept running although it could not write");
  }
  return async () => {
    await redis.startAgain();
    return "Redis exited instead of acknowledging unsaved orders";
  };
};

const BEGIN_OF_COMMIT = "*1\r\n$5\r\nMULTI\r\n";

/** Killed in the middle of a write: the file ends with the beginning of another commit. */
export const tornTail: Inject = async ({ parts, folder }) => {
  const redis = parts["venue-redis"];
  await redis.kill();
  const file = await appendOnlyFile(folder);
  const whole = await readFile(file);
  const commit = whole.subarray(lastCommitBefore(whole, whole.length));
  const torn = commit.subarray(0, Math.floor((commit.length * 2) / 3));
  await appendFile(file, torn);
  return async () => {
    await redis.startAgain();
    const begin = (await readFile(file)).subarray(whole.length, whole.length + torn.length);
    if (begin.equals(torn)) throw new Error("half a commit was left in the file");
    return `the ${torn.length} bytes of half a commit were dropped`;
  };
};

const REFUSED_WITHIN_MS = 15_000;
const LOOK_EVERY_MS = 100;

/**
 * A disk that lied about fsync: the last commit that PostgreSQL knows of, and everything after it, is missing from the
 * file. The end of the fault restores the bytes, as from a replica, and restarts the worker, whose ledger had stopped.
 */
export const lastCommitsGone: Inject = async ({ parts, folder, databaseUrl }) => {
  const [redis, worker] = [parts["venue-redis"], parts.worker];
  await redis.kill();
  const file = await appendOnlyFile(folder);
  const whole = await readFile(file);
  const sequence = await recordedSequence(databaseUrl);
  const id = `${sequence}-0`;
  const entry = whole.lastIndexOf(`${JOURNAL_KEY}\r\n$${id.length}\r\n${id}\r\n`);
  if (entry === -1) throw new Error(`entry ${sequence} is not in the append-only file`);
  await truncate(file, lastCommitBefore(whole, entry));
  await redis.startAgain();
  for (const engine of [parts["engine-1"], parts["engine-2"]]) await refusalOf(engine);
  return async () => {
    const sentence = await refusalOf(parts["engine-1"]);
    await redis.kill();
    await writeFile(file, whole);
    await redis.startAgain();
    await worker.kill();
    await worker.startAgain();
    return `“${sentence}”`;
  };
};

/** The reason in the health report of an engine that refuses to trade. */
async function refusalOf({ name, port }: StackPart): Promise<string> {
  const deadline = performance.now() + REFUSED_WITHIN_MS;
  let last = "nothing";
  while (performance.now() < deadline) {
    const response = await fetch(`http://127.0.0.1:${port}/health`, {
      signal: AbortSignal.timeout(REFUSED_WITHIN_MS),
    }).catch(() => undefined);
    const report = healthReportSchema.safeParse(await response?.json()).data;
    const engine = report?.parts.find((part) => part.name === "engine");
    last = `${engine?.state ?? "unknown"}, ${engine?.detail ?? ""}`;
    if (engine?.state === "down" && /lost commits|older state|cannot be trusted/.test(engine.detail ?? ""))
      return engine.detail ?? "";
    await sleep(LOOK_EVERY_MS);
  }
  throw new Error(`${name} does not refuse to trade on a store that has lost commits: ${last}`);
}

function lastCommitBefore(file: Buffer, end: number): number {
  const begin = file.lastIndexOf(BEGIN_OF_COMMIT, end - 1);
  if (begin === -1) throw new Error("the append-only file holds no commit");
  return begin;
}

async function recordedSequence(databaseUrl: string): Promise<number> {
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => {} });
  try {
    const [row] = await sql`SELECT sequence FROM ledger_consumer_offsets WHERE consumer = 'ledger'`;
    return Number(row?.["sequence"]);
  } finally {
    await sql.end();
  }
}

async function appendOnlyFile(folder: ChaosStack["folder"]): Promise<string> {
  const directory = join(folder, "venue-redis", "appendonlydir");
  const name = (await readdir(directory)).find((one) => one.endsWith(".incr.aof"));
  if (name === undefined) throw new Error("the venue's Redis has no append-only file");
  return join(directory, name);
}

/**
 * Injects these faults into the system calls of a running process until stopped. Throws if the process cannot be
 * traced.
 */
async function tamperWith(pid: number, rules: readonly string[]): Promise<() => Promise<void>> {
  const strace = spawn("strace", ["-f", "-o", "/dev/null", ...rules, "-p", String(pid)], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  const ended = once(strace, "exit");
  const attached = once(strace.stderr, "data");
  const [words] = await Promise.race([attached, ended]);
  if (!String(words).includes("attached")) throw new Error(`strace could not be attached: ${String(words).trim()}`);
  strace.stderr.resume();
  return async () => {
    strace.kill("SIGINT");
    await ended;
  };
}
