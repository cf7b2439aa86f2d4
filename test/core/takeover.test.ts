import { expect, it } from "vitest";
import { commitEntry } from "../../origin/commit/commit.ts";
import { entryHash, lastEntry } from "../../origin/journal/journal.ts";
import { scriptRunner } from "../../origin/redis/script-runner.ts";
import { auditCore } from "./audit-core.ts";
import { deposit, engineIs, startCore } from "./core.ts";

it("lets one engine lead, and another follow it entry by entry and take over when it stops", async () => {
  const first = await startCore();
  await engineIs(first, "leader");
  const second = await first.again();
  await engineIs(second, "standby");
  const told = [await first.commit(deposit("ann", "idr", 5n)), await second.commit(deposit("bob", "idr", 7n))];
  await engineIs(second, `standby, at journal entry ${told.at(-1)?.sequence}`);
  const api = await first.again({ SLUICE_ROLES: ["api"] });
  await first.trading.stop();
  await engineIs(second, "leader");
  told.push(await api.commit(deposit("ann", "idr", 1n)));
  expect(await second.trading.commands.untilProjected(told.at(-1)?.sequence ?? 0)).toBe(true);
  expect(await first.redis.hget("v1:{t0}:wallet:ann", "idr")).toBe("0.06,0");
  await second.trading.stop();
  await auditCore(first.redis, { acknowledged: told });
});

it("refuses a commit of an earlier epoch, and one that is not the next", async () => {
  const core = await startCore();
  await engineIs(core, "leader");
  const { sequence } = await core.commit(deposit("ann", "idr", 5n));
  const last = await lastEntry(core.redis);
  const body = last?.body ?? "";
  const next = { sequence: sequence + 1, previousHash: last?.hash ?? "", command: "1-1-1", body };
  const entry = { ...next, hash: entryHash(next) };
  const epoch = Number(await core.redis.hget("v1:{t0}:fence", "epoch"));
  const runner = scriptRunner(core.redis);
  expect(await commitEntry(runner, epoch - 1, entry)).toBe("deposed");
  expect(await commitEntry(runner, epoch, { ...entry, sequence: sequence + 2 })).toBe("elsewhere");
  expect(await commitEntry(runner, epoch, { ...entry, sequence })).toBe("elsewhere");
  expect((await lastEntry(core.redis))?.hash).toBe(last?.hash);
});

it("discards its memory when another epoch has begun, and commits nothing of it", async () => {
  const core = await startCore();
  await engineIs(core, "leader");
  await core.commit(deposit("ann", "idr", 5n));
  // As a second engine would do it after a long pause of the first.
  await core.redis.hincrby("v1:{t0}:fence", "epoch", 1);
  const told = await core.commit(deposit("ann", "idr", 6n));
  expect(told.outcome).toEqual({ kind: "done" });
  expect(core.logged.join("")).toContain("another engine leads now");
  await core.trading.stop();
  await auditCore(core.redis, { acknowledged: [told] });
});
