import { spawn } from "node:child_process";
import { once } from "node:events";
import { cp, readdir, readFile, truncate } from "node:fs/promises";
import { join } from "node:path";
import { Redis } from "ioredis";
import { expect, it } from "vitest";
import { temporaryFolder } from "../../kit/temporary-folder.ts";
import { findProgram } from "../../stack/servers/find-program.ts";
import { freePort } from "../../stack/servers/free-port.ts";
import { REDIS_PROGRAMS, startRedisServer } from "../../stack/servers/redis-server.ts";
import { auditCore } from "./audit-core.ts";
import { deposit, engineIs, limitOrder, openCore, until } from "./core.ts";

it("recovers a sound state wherever the file ends within the last commit: all of it or nothing", async () => {
  const folder = await temporaryFolder();
  const server = await startRedisServer({ folder, fsync: "always" });
  const core = await openCore(server);
  await engineIs(core, "leader");
  await core.commit(deposit("ann", "idr", 10n ** 12n, "d1"));
  await core.commit(deposit("bob", "btc", 10n ** 9n, "d2"));
  const before = await core.commit(limitOrder({ user: "ann", side: "buy", ticks: 100_000, lots: 100 }));
  expect(await core.trading.commands.untilProjected(before.sequence)).toBe(true);
  const from = (await readFile(await appendOnlyFile(folder))).length;
  const last = await core.commit(
    limitOrder({ user: "bob", side: "sell", ticks: 100_000, lots: 40, clientOrderId: "last" }),
  );
  expect(await core.trading.commands.untilProjected(last.sequence)).toBe(true);
  await core.trading.stop();
  await server.stop();

  const whole = await readFile(await appendOnlyFile(folder));
  const lengths = cuts(whole, from);
  const seen = new Set<string>();
  const states: string[] = [];
  const next = lengths[Symbol.iterator]();
  async function work(): Promise<void> {
    for (const length of next) states.push(await stateAfterCut(folder, length, seen));
  }
  await Promise.all([work(), work(), work()]);
  expect(states).toHaveLength(lengths.length);
  // Before the commit, after it, and after its projection.
  const { sequence } = last;
  expect(new Set(states)).toEqual(
    new Set([`${sequence} ${sequence}`, `${sequence} ${sequence - 1}`, `${sequence - 1} ${sequence - 1}`]),
  );
});

/** Starts a server on a copy whose file ends there, and audits each new state. */
async function stateAfterCut(folder: string, length: number, seen: Set<string>): Promise<string> {
  const copy = await temporaryFolder();
  await cp(join(folder, "appendonlydir"), join(copy, "appendonlydir"), { recursive: true });
  await truncate(await appendOnlyFile(copy), length);
  const port = await freePort();
  const args = ["--bind", "127.0.0.1", "--port", String(port), "--dir", copy, "--save", "", "--appendonly", "yes"];
  const server = spawn(findProgram(...REDIS_PROGRAMS) ?? "redis-server", args, { stdio: "ignore" });
  const redis = new Redis(port, "127.0.0.1", { maxRetriesPerRequest: null, retryStrategy: () => 5 });
  redis.on("error", () => {});
  try {
    await until(() => redis.status === "ready");
    const committed = await redis.hget("v1:{t0}:offset", "sequence");
    const projected = await redis.hget("v1:{t0}:projected", "sequence");
    const state = `${committed} ${projected}`;
    const journal = await redis.xrevrange("v1:{t0}:stream:executions", "+", "-", "COUNT", 1);
    expect(journal[0]?.[0]).toBe(`${committed}-0`);
    if (!seen.has(state)) await auditCore(redis);
    seen.add(state);
    return state;
  } finally {
    redis.disconnect();
    const exited = once(server, "exit");
    server.kill("SIGKILL");
    await exited;
  }
}

/**
 * Redis keeps the same part of a torn file for all bytes of one command, so: around the end of each command that the
 * last order wrote, and every few bytes of the transaction that holds the journal entry.
 */
function cuts(whole: Buffer, from: number): readonly number[] {
  const entry = whole.indexOf("stream:executions", from);
  const begin = whole.lastIndexOf("MULTI", entry);
  const end = whole.indexOf("EXEC", entry) + "EXEC\r\n".length;
  expect(begin).toBeGreaterThan(from);
  const lengths = new Set<number>([whole.length]);
  for (let length = begin; length <= end; length += FINE_STEP_BYTES) lengths.add(length);
  for (let at = whole.indexOf("\r\n*", from); at !== -1; at = whole.indexOf("\r\n*", at + 1)) {
    if (at < end + COARSE_AFTER_BYTES) for (const near of [1, 2, 3]) lengths.add(at + near);
  }
  return [...lengths]
    .filter((length) => length >= from && length <= whole.length)
    .sort((first, second) => first - second);
}

const FINE_STEP_BYTES = 16;
/** The first commands of the projection after it. */
const COARSE_AFTER_BYTES = 200;

async function appendOnlyFile(folder: string): Promise<string> {
  const names = await readdir(join(folder, "appendonlydir"));
  return join(folder, "appendonlydir", names.find((name) => name.endsWith(".incr.aof")) ?? "");
}
