import { expect, it } from "vitest";
import { createOrderMix } from "../../load/bench/orders/orders-mix.ts";
import { parseCommandId } from "../../origin/journal/command-text.ts";
import { connectRedis } from "../../origin/redis/connect.ts";
import { auditCore, toldOf, watchAppends } from "./audit-core.ts";
import { deposit, engineIs, limitOrder, startCore, until } from "./core.ts";

it("answers an order with its outcome in the journal, and readers see it at once", async () => {
  const core = await startCore();
  await engineIs(core, "leader");
  const { commit } = core;
  await commit(deposit("ann", "idr", 10n ** 14n, "d1"));
  await commit(deposit("bob", "btc", 10n ** 9n, "d2"));
  await commit(limitOrder({ user: "ann", side: "buy", ticks: 1_000_000, lots: 100, clientOrderId: "first" }));
  const sold = await commit(limitOrder({ user: "bob", side: "sell", ticks: 1_000_000, lots: 40 }));
  expect(sold.outcome).toMatchObject({
    kind: "order",
    order: { id: 2, status: "filled" },
    trades: [{ id: 1, lots: 40, buyUser: "ann" }],
  });
  expect(await core.trading.commands.untilProjected(sold.sequence)).toBe(true);
  expect(await core.redis.hgetall("v1:{t0}:order:1")).toMatchObject({
    ...{ id: "1", user: "ann", pair: "btcidr", side: "buy", client_order_id: "first" },
    ...{
      price: "1000000000",
      quantity: "0.001",
      filled_quantity: "0.0004",
      filled_value: "400000",
      status: "partiallyFilled",
    },
  });
  expect(await core.redis.hgetall("v1:{t0}:wallet:ann")).toEqual({ btc: "0.0003996,0", idr: "999999000000,600000" });
  expect(await core.redis.zrange("v1:{t0}:orders:open:ann", "0", "-1")).toEqual(["1"]);
  expect((await core.redis.lrange("v1:{t0}:ended", 0, -1)).map((text) => JSON.parse(text))).toEqual([
    [sold.sequence, expect.any(Number), ["bob", 2]],
  ]);
  expect(await core.redis.hkeys("v1:{t0}:book:btcidr")).toEqual(["1"]);
  expect(JSON.parse((await core.redis.lindex("v1:{t0}:trades:bob", 0)) ?? "")).toMatchObject({
    price: "1000000000",
    role: "taker",
    side: "sell",
  });
  await until(async () => (await core.redis.get("v1:last_price:btcidr")) === "1000000000");
  expect(await core.trading.commands.outcomeOf(sold.commandId)).toMatchObject({
    kind: "committed",
    user: "bob",
    outcome: { order: { id: 2 } },
  });
});

it("publishes no order before Redis has answered the commit", async () => {
  const held: (() => void)[] = [];
  let isHolding = false;
  const core = await startCore({
    connect: (url, log, options) => {
      const redis = connectRedis(url, log, options);
      const evalsha = redis.evalsha.bind(redis) as (...args: unknown[]) => Promise<unknown>;
      const late = async (...args: unknown[]) => {
        const reply = await evalsha(...args);
        if (isHolding && args[1] === COMMIT_KEYS) await new Promise<void>((release) => held.push(release));
        return reply;
      };
      return Object.assign(redis, { evalsha: late });
    },
  });
  await engineIs(core, "leader");
  const { sequence } = await core.commit(deposit("ann", "idr", 1n));
  isHolding = true;
  let isTold = false;
  const told = core.commit(deposit("ann", "idr", 2n)).finally(() => {
    isTold = true;
  });
  await until(() => held.length === 1);
  expect(await core.redis.hget("v1:{t0}:offset", "sequence")).toBe(String(sequence + 1));
  expect(isTold).toBe(false);
  isHolding = false;
  held[0]?.();
  expect((await told).sequence).toBe(sequence + 1);
});

const COMMIT_KEYS = 3;

it("takes all commands of one turn into one entry, in their order, and writes nothing else for them", async () => {
  const core = await startCore();
  await engineIs(core, "leader");
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, index) => core.commit(deposit("ann", "idr", BigInt(index + 1)))),
  );
  expect(new Set(answers.map(({ sequence }) => sequence)).size).toBe(1);
  const places = answers.map(({ commandId }) => parseCommandId(commandId));
  expect(places.map((place) => (place !== undefined && "number" in place ? place.number : 0))).toEqual(
    answers.map((_, index) => index + 1),
  );
  expect(await core.redis.exists("v1:{t0}:commands")).toBe(0);
});

it("appends all commands of one turn at once, in their order, in a process without an engine", async () => {
  const core = await startCore();
  await engineIs(core, "leader");
  const api = await core.again({ SLUICE_ROLES: ["api"] });
  await until(async () => (await api.trading.commands.submit(deposit("ann", "idr", 1n))).kind === "committed");
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, index) => api.commit(deposit("ann", "idr", BigInt(index + 1)))),
  );
  const appends = new Set(answers.map(({ commandId }) => commandId.slice(0, commandId.lastIndexOf("-"))));
  expect(appends.size).toBe(1);
  expect(answers.map(({ commandId }) => Number(commandId.split("-")[2]))).toEqual(answers.map((_, index) => index));
});

it("reaches one state by journal, by projections and by replay of the commands", async () => {
  const core = await startCore();
  await engineIs(core, "leader");
  const appends = watchAppends(core.redis);
  const mix = createOrderMix(7, 100);
  const told = toldOf(await Promise.all(mix.deposits().map(core.trading.commands.submit)));
  const all = [...told];
  for (let turn = 0; turn < 30; turn++) {
    const answers = await Promise.all(Array.from({ length: 100 }, () => core.trading.commands.submit(mix.next())));
    for (const answer of answers) mix.note(answer);
    all.push(...toldOf(answers));
  }
  expect(all).toHaveLength(3_200);
  await core.trading.stop();
  await appends.stop();
  await auditCore(core.redis, { acknowledged: all });
});

it("has the outcome of every command for as long as the journal holds it", async () => {
  const core = await startCore();
  await engineIs(core, "leader");
  const answers = [];
  for (let turn = 0; turn < 40; turn++) {
    answers.push(
      ...(await Promise.all(
        [1, 2, 3].map((part) => core.commit(deposit(`user${turn}`, "idr", BigInt(part), `r${part}`))),
      )),
    );
  }
  const repeated = await core.commit(deposit("user0", "idr", 1n, "r1"));
  const refused = await core.commit(deposit("user0", "idr", 2n, "r1"));
  const { outcomeOf } = core.trading.commands;
  for (const { commandId, sequence } of answers) {
    expect(await outcomeOf(commandId)).toMatchObject({ kind: "committed", sequence, outcome: { kind: "done" } });
  }
  expect(await outcomeOf(repeated.commandId)).toMatchObject({ user: "user0", outcome: { kind: "repetition" } });
  expect(await outcomeOf(refused.commandId)).toMatchObject({
    user: "user0",
    outcome: { kind: "rejected", code: "reference_reused" },
  });
  for (const unknown of ["1-1-1", "99999999999999-0-0", "nonsense", "", "1-2", `${refused.commandId}9`]) {
    expect(await outcomeOf(unknown), unknown).toEqual({ kind: "forgotten" });
  }
});
