import { expect, it } from "vitest";
import { temporaryFolder } from "../../kit/temporary-folder.ts";
import { startRedisServer } from "../../stack/servers/redis-server.ts";
import { deposit, engineIs, openCore, startCore, type TestCore, until } from "./core.ts";

const engineSays = (core: TestCore) => core.trading.health().find(({ name }) => name === "engine")?.detail ?? "";
const refusesWith = (core: TestCore, words: string) => until(() => engineSays(core).includes(words));

const OTHER_FAULTS = [
  ["appendonly", "no", "yes"],
  ["no-appendfsync-on-rewrite", "yes", "no"],
  ["maxmemory-policy", "allkeys-lru", "noeviction"],
] as const;

it("does not trade on a Redis that could lose an order, and names the wrong setting", async () => {
  const server = await startRedisServer({ folder: await temporaryFolder(), fsync: "everysec" });
  try {
    const core = await openCore(server);
    await refusesWith(core, "appendfsync everysec and needs always");
    expect(await core.trading.commands.submit(deposit("ann", "idr", 1n))).toEqual({
      kind: "refused",
      code: "engine_unavailable",
    });
    for (const [setting, value] of OTHER_FAULTS) await core.redis.config("SET", setting, value);
    for (const [setting, value, needed] of OTHER_FAULTS)
      await refusesWith(core, `${setting} ${value} and needs ${needed}`);
    for (const [setting, , needed] of OTHER_FAULTS) await core.redis.config("SET", setting, needed);
    expect(await core.redis.exists("v1:{t0}:stream:executions")).toBe(0);
    const bold = await core.again({ SLUICE_UNSAFE_STORE: true });
    await engineIs(bold, "leader");
    await core.redis.config("SET", "appendfsync", "always");
    await engineIs(core, "standby");
  } finally {
    await server.stop();
  }
});

it("does not trade on an empty Redis when trades were recorded before", async () => {
  const core = await startCore({ hasTrades: true });
  await refusesWith(core, "The venue's Redis is empty, and PostgreSQL holds trades");
  expect(await core.redis.exists("v1:{t0}:stream:executions")).toBe(0);
});

it("does not start a new journal on a Redis that was emptied while it ran", async () => {
  const core = await startCore();
  await engineIs(core, "leader");
  await core.commit(deposit("ann", "idr", 5n));
  await core.redis.flushall();
  await refusesWith(core, "has lost commits");
  expect(await core.redis.exists("v1:{t0}:stream:executions")).toBe(0);
});

it.each([
  [
    "a balance is not what it was",
    "all balances of idr together are 7, and 6 came in",
    (core: TestCore) => core.redis.hset("v1:{t0}:wallet:ann", "idr", "0.07,0"),
  ],
  [
    "the last commit has another hash",
    "the last commit and journal entry 3 have different hashes",
    (core: TestCore) => core.redis.hset("v1:{t0}:offset", "hash", "x"),
  ],
  [
    "the journal ends early",
    "commits have reached 99, and the journal ends at 3",
    (core: TestCore) => core.redis.hset("v1:{t0}:offset", "sequence", 99),
  ],
  [
    "an entry was removed",
    "journal entry 2 is missing",
    async (core: TestCore) => {
      await core.redis.hset("v1:{t0}:projected", "sequence", 1);
      await core.redis.xdel("v1:{t0}:stream:executions", "2-0");
    },
  ],
])("refuses a store in which %s, with a sentence", async (_, words, damage) => {
  const core = await startCore();
  await engineIs(core, "leader");
  await core.commit(deposit("ann", "idr", 5n));
  const last = await core.commit(deposit("ann", "idr", 1n));
  expect(await core.trading.commands.untilProjected(last.sequence)).toBe(true);
  await core.trading.stop();
  await damage(core);
  const next = await core.again();
  await refusesWith(next, `The state cannot be trusted: ${words}`);
});
