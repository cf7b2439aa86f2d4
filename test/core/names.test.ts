import { expect, it } from "vitest";
import type { Submitted } from "../../origin/commit/submit/commands.ts";
import type { CommandBody } from "../../origin/engine/command.ts";
import { lastEntry } from "../../origin/journal/journal.ts";
import { connectRedis } from "../../origin/redis/connect.ts";
import { auditCore, toldOf } from "./audit-core.ts";
import { deposit, engineIs, limitOrder, startCore, type TestCore, until } from "./core.ts";

/** So small that a few orders meet them. */
const NAME_BOUNDS = { heldMax: 20, answersMax: 30 };

const named = (clientOrderId: string, lots = 1) =>
  limitOrder({ user: "ann", side: "buy", ticks: 1_000_000, lots: 10 * lots, clientOrderId, openOrdersMax: 100_000 });

/** It ends with its command: an open order would keep its name in memory. */
const ending = (clientOrderId: string) => ({ ...named(clientOrderId), timeInForce: "IOC" }) as const;

async function openVenue(nameBounds?: typeof NAME_BOUNDS): Promise<TestCore> {
  const core = await startCore({ nameBounds });
  await engineIs(core, "leader");
  await core.commit(deposit("ann", "idr", 10n ** 15n, "first"));
  return core;
}

/** No more at once than a process takes. */
async function submitAll({ trading }: TestCore, orders: readonly CommandBody[]): Promise<readonly Submitted[]> {
  const answers: Submitted[] = [];
  for (let from = 0; from < orders.length; from += 300) {
    answers.push(...(await Promise.all(orders.slice(from, from + 300).map((order) => trading.commands.submit(order)))));
  }
  return answers;
}

const outcomesOf = (answers: readonly Submitted[]) => toldOf(answers).map(({ outcome }) => outcome);

async function untilAllProjected({ redis, trading }: TestCore): Promise<void> {
  const last = await lastEntry(redis);
  await until(() => trading.commands.untilProjected(last?.sequence ?? 0));
}

/** How often each command was called. */
async function callsOf({ redis }: TestCore): Promise<ReadonlyMap<string, number>> {
  const lines = (await redis.info("commandstats")).matchAll(/^cmdstat_(\w+):calls=(\d+)/gm);
  return new Map([...lines].map(([, name = "", calls]) => [name, Number(calls)]));
}

it("answers a name of an earlier leader as that leader did, without having loaded any", async () => {
  const first = await openVenue();
  const names = Array.from({ length: 3_000 }, (_, index) => `order ${index} é`);
  const placed = outcomesOf(
    await submitAll(
      first,
      names.map((name) => named(name)),
    ),
  );
  const closed = placed[7]?.kind === "order" ? placed[7].order.id : 0;
  await first.commit({ kind: "cancel", user: "ann", orderId: closed, clientOrderId: "" });
  await untilAllProjected(first);
  await first.trading.stop();

  await first.redis.config("RESETSTAT");
  const second = await first.again();
  await engineIs(second, "leader");
  const calls = await callsOf(second);
  expect(await second.redis.eval("return #redis.call('KEYS', 'v1:{t0}:names:*')", 0)).toBeGreaterThan(2_900);
  // One for each hour of the counts, and some for books and users; not one for each name or bucket of them.
  expect(calls.get("hscan")).toBeLessThan(60);
  expect(calls.get("hget") ?? 0).toBeLessThan(60);

  const again = await Promise.all(
    ["order 7 é", "order 8 é"].map((name) => second.trading.commands.submit(named(name))),
  );
  expect(outcomesOf(again)).toEqual([7, 8].map((index) => ({ kind: "repetition", orderId: idOf(placed[index]) })));
  expect((await second.commit(named("order 9 é", 2))).outcome).toEqual({
    kind: "rejected",
    code: "client_order_id_reused",
  });
  expect((await second.commit(deposit("ann", "idr", 10n ** 15n, "first"))).outcome).toEqual({
    kind: "repetition",
    orderId: 0,
  });
  expect((await second.commit(deposit("ann", "idr", 1n, "first"))).outcome).toEqual({
    kind: "rejected",
    code: "reference_reused",
  });
  const byName = await second.commit({ kind: "cancel", user: "ann", orderId: 0, clientOrderId: "order 7 é" });
  expect(byName.outcome).toEqual({ kind: "rejected", code: "order_not_open" });
  expect(
    (await second.commit({ kind: "cancel", user: "ann", orderId: 0, clientOrderId: "order 8 é" })).outcome.kind,
  ).toBe("cancelled");
  expect((await second.commit(named("order 8 é"))).outcome).toMatchObject({ kind: "repetition" });
  await second.trading.stop();
  await auditCore(second.redis);
});

it("executes a name once however small its memory is, and a replay of the commands leads to the same state", async () => {
  const core = await openVenue(NAME_BOUNDS);
  await untilAllProjected(core);
  const told: Submitted[] = [];
  for (let round = 0; round < 40; round++) {
    // Fifteen new ones, and all those of some rounds ago.
    const fresh = Array.from({ length: 15 }, (_, index) => ending(`${round}.${index}`));
    const old = round < 5 ? [] : Array.from({ length: 15 }, (_, index) => ending(`${round - 5}.${index}`));
    const answers = await Promise.all([...fresh, ...old].map((order) => core.trading.commands.submit(order)));
    expect(outcomesOf(answers).map(({ kind }) => kind)).toEqual([
      ...fresh.map(() => "order"),
      ...old.map(() => "repetition"),
    ]);
    told.push(...answers);
    await untilAllProjected(core);
  }
  // They were asked for: each in three generations.
  expect((await callsOf(core)).get("hget")).toBeGreaterThan(3 * 15 * 30);
  await core.trading.stop();
  await auditCore(core.redis, { acknowledged: toldOf(told) });
});

it("keeps names that are not yet projected, however many they are", async () => {
  const core = await startCore({ SLUICE_ROLES: ["api", "engine"], nameBounds: NAME_BOUNDS });
  await engineIs(core, "leader");
  await core.commit(deposit("ann", "idr", 10n ** 15n));
  const orders = Array.from({ length: 1_500 }, (_, index) => ending(`order ${index}`));
  await submitAll(core, orders);
  const again = await submitAll(core, orders);
  expect(outcomesOf(again).map(({ kind }) => kind)).toEqual(orders.map(() => "repetition"));
});

it("restarts from the journal when Redis becomes unavailable during a question for a name, and executes the command once", async () => {
  let failures = 0;
  const core = await startCore({
    nameBounds: NAME_BOUNDS,
    connect: (url, log, options) => {
      const redis = connectRedis(url, log, options);
      const pipeline = redis.pipeline.bind(redis);
      const failing = () => {
        const commands = pipeline();
        const hget = commands.hget.bind(commands);
        return Object.assign(commands, {
          hget: (key: string, field: string) => {
            if (failures > 0 && key.includes(":names:")) {
              failures--;
              throw new Error("Connection is closed.");
            }
            return hget(key, field);
          },
        });
      };
      return Object.assign(redis, { pipeline: failing });
    },
  });
  await engineIs(core, "leader");
  await core.commit(deposit("ann", "idr", 10n ** 15n));
  for (let round = 0; round < 4; round++) {
    await submitAll(
      core,
      Array.from({ length: 30 }, (_, index) => ending(`${round}.${index}`)),
    );
    await untilAllProjected(core);
  }
  failures = 1;
  expect((await core.commit(ending("0.1"))).outcome).toMatchObject({ kind: "repetition" });
  expect(failures).toBe(0);
  expect(core.logged.join("")).toContain("the engine restarts from the journal");
  await core.trading.stop();
  await auditCore(core.redis);
});

function idOf(outcome: ReturnType<typeof outcomesOf>[number] | undefined): number {
  return outcome?.kind === "order" ? outcome.order.id : 0;
}
