import { expect, it } from "vitest";
import type { Submitted } from "../../origin/commit/submit/commands.ts";
import { connectRedis } from "../../origin/redis/connect.ts";
import { auditCore, toldOf } from "./audit-core.ts";
import { deposit, engineIs, startCore, type TestCore, until } from "./core.ts";
import { startOrigin } from "./processes.ts";

/**
 * Commands that are handed to the engine in memory: whatever the fate of a commit, each is executed once, or refused
 * and never executed.
 */

const FENCE = "v1:{t0}:fence";
const COMMIT_KEYS = 3;

type Commit = () => Promise<unknown>;

/** A venue whose commits go through `meddle` once it is set. */
async function startMeddled() {
  const meddling: { with?: ((commit: Commit) => Promise<unknown>) | undefined } = {};
  const connect: typeof connectRedis = (url, log, options) => {
    const redis = connectRedis(url, log, options);
    const evalsha = redis.evalsha.bind(redis) as (...args: unknown[]) => Promise<unknown>;
    const meddled = (...args: unknown[]) => {
      const meddle = args[1] === COMMIT_KEYS ? meddling.with : undefined;
      return meddle === undefined ? evalsha(...args) : meddle(() => evalsha(...args));
    };
    return Object.assign(redis, { evalsha: meddled });
  };
  const core = await startCore({ connect });
  await engineIs(core, "leader");
  await core.commit(deposit("ann", "idr", 1n));
  return { core, meddling };
}

const lost = () => Promise.reject(new Error("Command timed out"));
const balanceOf = async (core: TestCore, sequence: number, user: string) => {
  expect(await core.trading.commands.untilProjected(sequence)).toBe(true);
  return core.redis.hget(`v1:{t0}:wallet:${user}`, "idr");
};

/** The next commit is handled this way; all others as usual. */
function once(
  meddling: { with?: ((commit: Commit) => Promise<unknown>) | undefined },
  way: (commit: Commit) => Promise<unknown>,
): void {
  meddling.with = (commit) => {
    meddling.with = undefined;
    return way(commit);
  };
}

it("answers from the journal when a commit was made and its reply is lost", async () => {
  const { core, meddling } = await startMeddled();
  once(meddling, async (commit) => {
    await commit();
    return lost();
  });
  const told = await Promise.all([10n, 20n, 30n].map((amount) => core.commit(deposit("bob", "idr", amount))));
  expect(new Set(told.map(({ sequence }) => sequence)).size).toBe(1);
  const { sequence } = await core.commit(deposit("bob", "idr", 1n));
  expect(await balanceOf(core, sequence, "bob")).toBe("0.61,0");
  await core.trading.stop();
  await auditCore(core.redis, { acknowledged: told });
});

/** Enough for three commits, of which the later ones are sent before the first is answered. */
const MANY = 700;
const many = (core: TestCore) =>
  Promise.all(Array.from({ length: MANY }, (_, index) => core.commit(deposit("bob", "idr", BigInt(index + 1)))));
const SUM_OF_MANY = "2453.5,0";

it("answers from the journal when the first of several commits under way was made and its reply is lost", async () => {
  const { core, meddling } = await startMeddled();
  once(meddling, async (commit) => {
    await commit();
    return lost();
  });
  const told = await many(core);
  expect(new Set(told.map(({ sequence }) => sequence)).size).toBeGreaterThan(1);
  expect(await balanceOf(core, told.at(-1)?.sequence ?? 0, "bob")).toBe(SUM_OF_MANY);
  await core.trading.stop();
  await auditCore(core.redis, { acknowledged: told });
});

it("executes the commands of a lost commit once, in their order, when it was never made", async () => {
  const { core, meddling } = await startMeddled();
  once(meddling, lost);
  const told = await many(core);
  const numbers = told.map(({ commandId }) => Number(commandId.split(".").at(-1)));
  expect(numbers).toEqual(numbers.toSorted((first, second) => first - second));
  expect(await balanceOf(core, told.at(-1)?.sequence ?? 0, "bob")).toBe(SUM_OF_MANY);
  await core.trading.stop();
  await auditCore(core.redis, { acknowledged: told });
});

it("refuses by the fence a commit that arrives after its commands were executed again", async () => {
  const { core, meddling } = await startMeddled();
  let late: Commit = async () => undefined;
  once(meddling, (commit) => {
    late = commit;
    return lost();
  });
  const told = await core.commit(deposit("bob", "idr", 10n));
  expect(await late()).toBe("deposed");
  expect(await balanceOf(core, told.sequence, "bob")).toBe("0.1,0");
  await core.trading.stop();
  await auditCore(core.redis, { acknowledged: [told] });
});

it("answers unknown with an id when a commit takes too long, has its outcome later, and refuses commands queued behind it", async () => {
  const { core, meddling } = await startMeddled();
  const { submit, outcomeOf } = core.trading.commands;
  let release: (() => void) | undefined;
  once(meddling, async (commit) => {
    await new Promise<void>((resolve) => (release = resolve));
    return commit();
  });
  const first = submit(deposit("bob", "idr", 10n));
  await until(() => release !== undefined);
  const second = submit(deposit("bob", "idr", 20n));
  const unknown = await first;
  expect(unknown.kind).toBe("unknown");
  expect(await second).toEqual({ kind: "refused", code: "venue_busy" });
  const commandId = unknown.kind === "unknown" ? unknown.commandId : "";
  expect(await outcomeOf(commandId)).toEqual({ kind: "pending" });
  release?.();
  await until(async () => (await outcomeOf(commandId)).kind === "committed");
  const { sequence } = await core.commit(deposit("bob", "idr", 1n));
  expect(await balanceOf(core, sequence, "bob")).toBe("0.11,0");
});

it("forgets a command of a failed commit once another epoch has begun, and never takes another entry for its own", async () => {
  const { core, meddling } = await startMeddled();
  const { submit, outcomeOf } = core.trading.commands;
  let fail: (() => void) | undefined;
  once(meddling, async () => {
    await new Promise<void>((resolve) => (fail = resolve));
    return lost();
  });
  const unknown = await submit(deposit("bob", "idr", 10n));
  const commandId = unknown.kind === "unknown" ? unknown.commandId : "";
  expect(await outcomeOf(commandId)).toEqual({ kind: "pending" });
  fail?.();
  await until(async () => (await outcomeOf(commandId)).kind === "forgotten");
  await engineIs(core, "leader");
  const other = await core.commit(deposit("bob", "idr", 1n));
  // The same entry, epoch and number, of another process.
  const parts = other.commandId.split(".");
  expect(other.sequence).toBe(Number(commandId.split(".")[1]));
  expect(await outcomeOf(parts.with(2, "x".repeat(22)).join("."))).toEqual({ kind: "forgotten" });
  expect(await outcomeOf(commandId)).toEqual({ kind: "forgotten" });
  expect(await balanceOf(core, other.sequence, "bob")).toBe("0.01,0");
});

it("writes a deposed leader's queue to the stream, where the next leader executes all of it once", async () => {
  const { core, meddling } = await startMeddled();
  const next = await core.again();
  await engineIs(next, "standby");
  let release: (() => void) | undefined;
  once(meddling, async (commit) => {
    await new Promise<void>((resolve) => (release = resolve));
    return commit();
  });
  const answers: Promise<Submitted>[] = [core.trading.commands.submit(deposit("bob", "idr", 1n))];
  await until(() => release !== undefined);
  for (let index = 1; index < 500; index++) answers.push(core.trading.commands.submit(deposit("bob", "idr", 1n)));
  // As if the leader had been stopped for longer than its lease, which it renews twice a second.
  const epoch = await core.redis.hget(FENCE, "epoch");
  await until(async () => {
    if ((await core.redis.hget(FENCE, "epoch")) !== epoch) return true;
    await core.redis.hset(FENCE, "until", 0);
    return false;
  });
  await engineIs(next, "leader");
  // Our last write may have followed the new lease: until that is renewed, the old leader could take it back.
  await until(async () => (await core.redis.hget(FENCE, "until")) !== "0");
  release?.();
  const told = toldOf(await Promise.all(answers));
  expect(told).toHaveLength(500);
  expect(told.every(({ commandId }) => /^\d+-\d+-\d+$/.test(commandId))).toBe(true);
  expect(await balanceOf(next, Math.max(...told.map(({ sequence }) => sequence)), "bob")).toBe("5,0");
  await core.trading.stop();
  await next.trading.stop();
  await auditCore(core.redis, { acknowledged: told });
});

it("continues when Redis forgets the commit script while several commits are under way", async () => {
  const { core, meddling } = await startMeddled();
  let commits = 0;
  meddling.with = async (commit) => {
    commits++;
    if (commits % 3 === 1) await core.redis.script("FLUSH");
    return commit();
  };
  const told = await many(core);
  expect(commits).toBeGreaterThan(2);
  meddling.with = undefined;
  expect(await balanceOf(core, Math.max(...told.map(({ sequence }) => sequence)), "bob")).toBe(SUM_OF_MANY);
  await core.trading.stop();
  await auditCore(core.redis, { acknowledged: told });
});

it("executes commands of this process and of the stream side by side", async () => {
  const { core } = await startMeddled();
  const api = await core.again({ SLUICE_ROLES: ["api"] });
  await until(async () => (await api.trading.commands.submit(deposit("cas", "idr", 1n))).kind === "committed");
  const told: Submitted[] = [];
  const flood = async ({ trading }: TestCore, user: string) => {
    for (let turn = 0; turn < 20; turn++) {
      told.push(
        ...(await Promise.all(Array.from({ length: 100 }, () => trading.commands.submit(deposit(user, "idr", 1n))))),
      );
    }
  };
  await Promise.all([flood(core, "bob"), flood(api, "cas"), flood(core, "dan")]);
  expect(toldOf(told)).toHaveLength(6_000);
  await api.trading.stop();
  await core.trading.stop();
  await auditCore(core.redis, { acknowledged: toldOf(told) });
});

it("loses no answered command and executes none twice when the process is killed at each step of a commit", async () => {
  const watcher = await startCore({ SLUICE_ROLES: ["api"] });
  const { url } = watcher.server;
  const told = [];
  for (const [index, failAt] of ["before-commit", "commit-sent", "commit-known"].entries()) {
    const origin = startOrigin({ url, roles: "api,engine,worker", failAt, failAfter: 150, loadSeed: index + 1 });
    expect(await origin.child.exited).toMatchObject({ signal: "SIGKILL" });
    told.push(...origin.told);
  }
  expect(told.length).toBeGreaterThan(100);
  await auditCore(watcher.redis, { acknowledged: told });
});
