import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { seededRandom } from "../../kit/random.ts";
import { temporaryFolder } from "../../kit/temporary-folder.ts";
import { startRedisServer } from "../../stack/servers/redis-server.ts";
import { auditCore, toldOf, watchAppends } from "./audit-core.ts";
import { engineIs, openCore, startCore, type TestCore, until } from "./core.ts";
import { makeOrders } from "./make-orders.ts";
import { type OriginProcess, startOrigin } from "./processes.ts";

/**
 * V1, V2, V4, V5: whichever process is killed at any moment, every answered command is in the journal, and nothing is
 * in it twice.
 */

const FENCE = "v1:{t0}:fence";
const hasBegun = ({ redis }: TestCore) => until(async () => (await redis.exists("v1:{t0}:offset")) === 1);

async function leaderAmong(engines: readonly OriginProcess[], { redis }: TestCore): Promise<OriginProcess> {
  let leader: OriginProcess | undefined;
  await until(async () => {
    const owner = (await redis.hget(FENCE, "owner")) ?? "";
    leader = engines.find(({ child }) => owner.startsWith(`${child.pid}.`) && !child.hasExited());
    return leader !== undefined;
  });
  if (leader === undefined) throw new Error("no engine leads");
  return leader;
}

const epochOf = async ({ redis }: TestCore) => Number(await redis.hget(FENCE, "epoch"));

/**
 * One process per step, each of them standing by while the one before it dies at its own step; the last one has no such
 * step. The last one starts when all others are gone, and a process has one role: a lead that never ends would keep
 * another from reaching its step.
 */
async function killAtEach(
  steps: readonly string[],
  { url, roles }: { readonly url: string; readonly roles: string },
): Promise<OriginProcess> {
  const doomed: OriginProcess[] = [];
  for (const failAt of steps) {
    doomed.push(startOrigin({ url, roles, failAt, failAfter: 8 }));
    await doomed.at(-2)?.child.exited;
  }
  for (const { child } of doomed) expect(await child.exited).toMatchObject({ signal: "SIGKILL" });
  return startOrigin({ url, roles });
}

it("loses nothing and does nothing twice when engines and projections are killed at every step", async () => {
  const api = await startCore({ SLUICE_ROLES: ["api"] });
  const appends = watchAppends(api.redis);
  const { url } = api.server;
  const engine = killAtEach(["before-commit", "commit-sent", "commit-known", "before-answer", "answer-sent"], {
    url,
    roles: "engine",
  });
  const worker = killAtEach(["before-projection", "projection-sent"], { url, roles: "worker" });
  await hasBegun(api);
  const orders = makeOrders(api, 11);
  const survivors = await Promise.all([engine, worker]);
  await orders.untilMore(200);
  await orders.stop();
  for (const { child } of survivors) await child.stop();
  await appends.stop();
  await auditCore(api.redis, { acknowledged: toldOf(orders.answers) });
});

it("continues with the standby when the leader is killed or stopped, and a leader that wakes up commits nothing", async () => {
  const api = await startCore({ SLUICE_ROLES: ["api"] });
  const { url } = api.server;
  const engines = [startOrigin({ url }), startOrigin({ url })];
  await hasBegun(api);
  const orders = makeOrders(api, 12);
  const random = seededRandom(12);
  for (const signal of ["SIGSTOP", "SIGKILL"] as const) {
    await orders.untilMore(random.between(100, 199));
    const leader = await leaderAmong(engines, api);
    const epoch = await epochOf(api);
    leader.signal(signal);
    await until(async () => (await epochOf(api)) > epoch);
    await orders.untilMore(100);
    if (signal === "SIGSTOP") leader.signal("SIGCONT");
    await orders.untilMore(100);
    expect(await leaderAmong(engines, api)).not.toBe(leader);
  }
  await orders.stop();
  for (const { child } of engines) await child.stop();
  await auditCore(api.redis, { acknowledged: toldOf(orders.answers) });
});

it("keeps commands that were answered before an api process was killed, and executes the others at most once", async () => {
  const core = await startCore();
  await engineIs(core, "leader");
  const orders = makeOrders(core, 13);
  await orders.untilMore(300);
  const apis = [1, 2].map((loadSeed) => startOrigin({ url: core.server.url, roles: "api", loadSeed }));
  for (const api of apis) {
    await until(() => api.told.length > 50);
    api.signal("SIGKILL");
    await api.child.exited;
  }
  await orders.stop();
  await core.trading.stop();
  await auditCore(core.redis, { acknowledged: [...apis.flatMap(({ told }) => told), ...toldOf(orders.answers)] });
});

it("continues when Redis is killed and started again, with nothing lost and nothing twice", async () => {
  const folder = await temporaryFolder();
  let server = await startRedisServer({ folder, fsync: "always" });
  const core = await openCore(server);
  await engineIs(core, "leader");
  const appends = watchAppends(core.redis);
  const orders = makeOrders(core, 14);
  const random = seededRandom(14);
  try {
    for (let round = 0; round < 3; round++) {
      await orders.untilMore(100);
      await sleep(random.next() * 30);
      process.kill(server.child.pid, "SIGKILL");
      await server.child.exited;
      server = await startRedisServer({ folder, fsync: "always", port: server.port });
    }
    await orders.untilMore(200);
    await orders.stop();
    await core.trading.stop();
    await appends.stop();
    await auditCore(core.redis, { acknowledged: toldOf(orders.answers) });
  } finally {
    await server.stop();
  }
});

it("recovers when every process is killed at once", async () => {
  const folder = await temporaryFolder();
  let server = await startRedisServer({ folder, fsync: "always" });
  const watcher = await openCore(server, { SLUICE_ROLES: ["api"] });
  const all = "api,engine,worker";
  try {
    const told = [];
    for (let round = 1; round <= 2; round++) {
      const origin = startOrigin({ url: server.url, roles: all, loadSeed: round });
      await until(() => origin.told.length > 200);
      process.kill(server.child.pid, "SIGKILL");
      origin.signal("SIGKILL");
      await Promise.all([server.child.exited, origin.child.exited]);
      told.push(...origin.told);
      server = await startRedisServer({ folder, fsync: "always", port: server.port });
    }
    await until(() => watcher.redis.status === "ready");
    await auditCore(watcher.redis, { acknowledged: told });
  } finally {
    await server.stop();
  }
});
