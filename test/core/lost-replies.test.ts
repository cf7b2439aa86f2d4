import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { startFaultyWire } from "../../kit/faulty-wire.ts";
import { auditCore, toldOf, watchAppends } from "./audit-core.ts";
import { deposit, engineIs, openCore, startCore, until } from "./core.ts";
import { makeOrders } from "./make-orders.ts";

it("looks into the journal when a reply is lost after the command was executed: nothing is lost or executed twice", async () => {
  const reader = await startCore({ SLUICE_ROLES: ["api"] });
  const wire = await startFaultyWire(reader.server.port);
  try {
    const core = await openCore(reader.server, { VENUE_REDIS_URL: `redis://${wire.address}` });
    await engineIs(core, "leader");
    const appends = watchAppends(reader.redis);
    const orders = makeOrders(core, 21);
    for (let round = 0; round < 3; round++) {
      await orders.untilMore(100);
      wire.replyWith("drop");
      await sleep(30);
      wire.replyWith("pass");
    }
    await orders.untilMore(100);
    await orders.stop();
    await core.trading.stop();
    await appends.stop();
    await auditCore(reader.redis, { acknowledged: toldOf(orders.answers) });
  } finally {
    await wire.stop();
  }
});

it("executes nothing twice when replies arrive after the callers' time-out", async () => {
  const core = await startCore();
  await engineIs(core, "leader");
  const orders = makeOrders(core, 22);
  await orders.untilMore(100);
  core.server.freeze();
  await sleep(1_500);
  core.server.thaw();
  await orders.untilMore(100);
  await orders.stop();
  await core.trading.stop();
  await auditCore(core.redis, { acknowledged: toldOf(orders.answers) });
});

it("finds an answer through the journal when its message was missed", async () => {
  const core = await startCore();
  await engineIs(core, "leader");
  const api = await core.again({ SLUICE_ROLES: ["api"] });
  await until(async () => (await api.trading.commands.submit(deposit("ann", "idr", 1n))).kind === "committed");
  // Every subscriber is disconnected repeatedly, so that no message arrives.
  const cutting = setInterval(() => void core.redis.call("CLIENT", "KILL", "TYPE", "pubsub").catch(() => {}), 1);
  const told = await api.commit(deposit("ann", "idr", 2n));
  clearInterval(cutting);
  expect(told.outcome).toEqual({ kind: "done" });
});

it("answers unknown after two seconds without an engine, has the outcome later, and refuses once no engine leads", async () => {
  const core = await startCore();
  await engineIs(core, "leader");
  const api = await core.again({ SLUICE_ROLES: ["api"] });
  await core.commit(deposit("ann", "idr", 1n));
  await core.trading.stop();
  // As if the engine had just died: its lease has expired, and a standby could still take over.
  const [seconds] = await core.redis.time();
  await core.redis.hset("v1:{t0}:fence", "until", Number(seconds) * 1_000);
  const unknown = await api.trading.commands.submit(deposit("ann", "idr", 2n));
  expect(unknown).toMatchObject({ kind: "unknown", commandId: expect.stringMatching(/^\d+-\d+-0$/) });
  const commandId = unknown.kind === "unknown" ? unknown.commandId : "";
  expect(await api.trading.commands.outcomeOf(commandId)).toEqual({ kind: "pending" });
  await until(async () => (await api.trading.commands.submit(deposit("ann", "idr", 4n))).kind === "refused");
  expect(await api.trading.commands.submit(deposit("ann", "idr", 4n))).toEqual({
    kind: "refused",
    code: "engine_unavailable",
  });
  const next = await core.again();
  await engineIs(next, "leader");
  await until(async () => (await api.trading.commands.outcomeOf(commandId)).kind === "committed");
});

it("refuses before anything is written when a user, the process or the stream has too much in flight", async () => {
  const core = await startCore();
  await engineIs(core, "leader");
  const api = await core.again({ SLUICE_ROLES: ["api"] });
  await until(async () => (await api.trading.commands.submit(deposit("ann", "idr", 1n))).kind === "committed");
  const many = Array.from({ length: 1_200 }, () => api.trading.commands.submit(deposit("ann", "idr", 1n)));
  const others = api.trading.commands.submit(deposit("bob", "idr", 1n));
  const kinds = (await Promise.all(many)).map((answer) => (answer.kind === "refused" ? answer.code : answer.kind));
  expect(kinds.filter((kind) => kind === "committed")).toHaveLength(1_000);
  expect(kinds.filter((kind) => kind === "venue_busy")).toHaveLength(200);
  expect((await others).kind).toBe("committed");
  await core.trading.stop();
  const [seconds] = await core.redis.time();
  await core.redis.hset("v1:{t0}:fence", "until", (Number(seconds) + 60) * 1_000);
  const pipeline = core.redis.pipeline();
  for (let entry = 0; entry < 10_000; entry++) pipeline.xadd("v1:{t0}:commands", "*", "n", "x", "a", "1", "c", "[]");
  await pipeline.exec();
  expect(await api.trading.commands.submit(deposit("ann", "idr", 1n))).toEqual({ kind: "refused", code: "venue_busy" });
});
