import { expect, it } from "vitest";
import { createOrderMix } from "../../load/bench/orders/orders-mix.ts";
import { readJournal } from "../../origin/journal/journal.ts";
import { changesFrom } from "../../origin/journal/journal-body.ts";
import { endedFrom, idsOf } from "../../origin/state/ended-orders.ts";
import { ENDED_KEY } from "../../origin/state/keys.ts";
import { auditCore, toldOf } from "./audit-core.ts";
import { engineIs, startCore, type TestCore, until } from "./core.ts";

async function trade(core: TestCore, turns: number): Promise<number> {
  const mix = createOrderMix(5, 40);
  await Promise.all(mix.deposits().map(core.trading.commands.submit));
  let last = 0;
  for (let turn = 0; turn < turns; turn++) {
    const answers = await Promise.all(Array.from({ length: 50 }, () => core.trading.commands.submit(mix.next())));
    for (const answer of answers) mix.note(answer);
    last = toldOf(answers).at(-1)?.sequence ?? last;
  }
  return last;
}

it("writes each entry once with three workers at once, one of them new", async () => {
  const core = await startCore({ SLUICE_ROLES: ["api", "engine"] });
  await engineIs(core, "leader");
  const workers = [await core.again({ SLUICE_ROLES: ["worker"] }), await core.again({ SLUICE_ROLES: ["worker"] })];
  await trade(core, 10);
  workers.push(await core.again({ SLUICE_ROLES: ["worker"] }));
  const last = await trade(core, 10);
  await until(() => core.trading.commands.untilProjected(last));
  const entries = await readJournal(core.redis, 0, 100_000);
  const trades = entries.flatMap(({ body }) => changesFrom(body).trades);
  expect(trades.length).toBeGreaterThan(50);
  const listed = (await core.redis.lrange("v1:{t0}:trades:pair:btcidr", 0, -1)).map(
    (text) => (JSON.parse(text) as { id: number }).id,
  );
  expect(listed).toEqual(trades.map(({ id }) => id).toReversed());
  await core.trading.stop();
  for (const worker of workers) await worker.trading.stop();
  await auditCore(core.redis);
});

it("has every order in exactly the indexes of its state", async () => {
  const core = await startCore();
  await engineIs(core, "leader");
  const last = await trade(core, 30);
  expect(await core.trading.commands.untilProjected(last)).toBe(true);
  await core.trading.stop();
  const { redis } = core;
  const expected = new Map<string, Set<string>>();
  const put = (key: string, id: number) => expected.set(key, (expected.get(key) ?? new Set()).add(String(id)));
  const orders = new Map(
    (await readJournal(redis, 0, 100_000)).flatMap(({ body }) => changesFrom(body).orders).map((row) => [row.id, row]),
  );
  for (const { id, user, pair, status } of orders.values()) {
    put(`v1:{t0}:orders:user:${user}`, id);
    const isOpen = status === "open" || status === "partiallyFilled";
    if (isOpen) put(`v1:{t0}:orders:open:${user}`, id);
    put(isOpen ? `v1:{t0}:book:${pair}` : ENDED_KEY, id);
    if (isOpen) expect(await redis.hget(`v1:{t0}:book:${pair}`, String(id))).toBe(status);
    expect(await redis.hgetall(`v1:{t0}:order:${id}`)).toMatchObject({ id: String(id), status });
  }
  const keys = [...(await redis.keys("v1:{t0}:orders:*")), ...(await redis.keys("v1:{t0}:book:*")), ENDED_KEY];
  expect(keys.toSorted()).toEqual([...expected.keys()].toSorted());
  for (const key of keys) {
    const members = await membersOf(redis, key);
    expect(members.length, key).toBe(expected.get(key)?.size);
    expect(new Set(members), key).toEqual(expected.get(key));
  }
});

async function membersOf(redis: TestCore["redis"], key: string): Promise<readonly string[]> {
  if (key.includes(":book:")) return redis.hkeys(key);
  if (key === ENDED_KEY) return (await redis.lrange(key, 0, -1)).flatMap((text) => idsOf(endedFrom(text)).map(String));
  return redis.zrange(key, "0", "-1");
}
