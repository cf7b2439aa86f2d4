import { expect, it } from "vitest";
import { readJournal } from "../../origin/journal/journal.ts";
import { changesFrom } from "../../origin/journal/journal-body.ts";
import { auditCore } from "./audit-core.ts";
import { deposit, engineIs, limitOrder, startCore, type TestCore, until } from "./core.ts";
import { startOrigin } from "./processes.ts";

const OPEN_ORDERS = 900;
const COMMITS = 60;
const MID_TICKS = 1_000_000;

/** How often Redis has executed each command since the last `CONFIG RESETSTAT`. */
async function callsOf(core: TestCore): Promise<(name: string) => number> {
  const text = await core.redis.info("commandstats");
  return (name) => Number(new RegExp(`^cmdstat_${name}:calls=(\\d+)`, "m").exec(text)?.[1] ?? 0);
}

/** Bids that never meet an ask, at as many prices. */
async function fillBook(core: TestCore): Promise<number> {
  await core.commit(deposit("ann", "idr", 10n ** 16n));
  const bids = Array.from({ length: OPEN_ORDERS }, (_, index) =>
    core.commit(limitOrder({ user: "ann", side: "buy", ticks: MID_TICKS + index, lots: 10, openOrdersMax: 10_000 })),
  );
  return Math.max(...(await Promise.all(bids)).map(({ sequence }) => sequence));
}

/** One commit after the other, each a trade at the top of the book. */
async function tradeAtTop(core: TestCore, count: number): Promise<number> {
  let last = 0;
  for (let index = 0; index < count; index++) {
    const { sequence } = await core.commit(limitOrder({ user: "bob", side: "sell", ticks: MID_TICKS, lots: 3 }));
    last = sequence;
  }
  return last;
}

const snapshotOf = async (core: TestCore) =>
  JSON.parse((await core.redis.get("v1:book:snapshot:btcidr")) ?? "{}") as {
    sequence: number;
    bids: [string, string][];
  };

it("a second worker reads no books while the first projects, and continues exactly once when the first is killed", {
  timeout: 90_000,
}, async () => {
  const core = await startCore({ SLUICE_ROLES: ["api", "engine"] });
  await engineIs(core, "leader");
  const first = startOrigin({ url: core.server.url, roles: "worker" });
  await core.commit(deposit("bob", "btc", 10n ** 12n));
  const filled = await fillBook(core);
  await until(() => core.trading.commands.untilProjected(filled));

  await core.redis.config("RESETSTAT");
  const second = await core.again({ SLUICE_ROLES: ["worker"] });
  const standing = await tradeAtTop(core, COMMITS);
  await until(() => core.trading.commands.untilProjected(standing));
  const calls = await callsOf(core);
  expect(calls("hscan")).toBe(0);
  expect(calls("hgetall")).toBeLessThan(50);

  // Without trades: the only questions are those of the leases, a few a second.
  await core.redis.config("RESETSTAT");
  await until(async () => (await callsOf(core))("evalsha") >= 20);
  const idle = await callsOf(core);
  expect([idle("hscan"), idle("hgetall"), idle("xread") < 40, idle("hget") < 400]).toEqual([0, 0, true, true]);

  await core.redis.config("RESETSTAT");
  first.signal("SIGKILL");
  const last = await tradeAtTop(core, COMMITS);
  await until(() => core.trading.commands.untilProjected(last), 10_000);
  await until(async () => (await snapshotOf(core)).sequence === last);
  const after = await callsOf(core);
  const open = await core.redis.hlen("v1:{t0}:book:btcidr");
  expect(after("hgetall")).toBeGreaterThanOrEqual(open);
  expect(after("hgetall")).toBeLessThan(open + 100);

  const entries = (await readJournal(core.redis, 0, 100_000)).map(({ body }) => changesFrom(body));
  const trades = entries.flatMap((changes) => changes.trades).filter(({ pair }) => pair === "btcidr");
  expect(trades.length).toBeGreaterThanOrEqual(2 * COMMITS);
  const listed = (await core.redis.lrange("v1:{t0}:trades:pair:btcidr", 0, -1)).map(
    (text) => (JSON.parse(text) as { id: number }).id,
  );
  expect(listed).toEqual(trades.map(({ id }) => id).toReversed());
  const orders = new Map(entries.flatMap((changes) => changes.orders).map((row) => [row.id, row]));
  const isOpen = (status: string) => status === "open" || status === "partiallyFilled";
  const expected = [...orders.values()]
    .filter(({ side, status }) => side === "buy" && isOpen(status))
    .toSorted((a, b) => b.ticks - a.ticks);
  const quantities = (await snapshotOf(core)).bids.map(([, quantity]) => Number(quantity));
  expect(quantities).toHaveLength(100);
  const unit = (quantities.at(-1) ?? 0) / 10;
  expect(quantities.map((quantity) => Math.round(quantity / unit))).toEqual(
    expected.slice(0, 100).map(({ lots, filledLots }) => lots - filledLots),
  );
  await core.trading.stop();
  await second.trading.stop();
  await auditCore(core.redis);
});

it("a worker that is stopped hands over at once", async () => {
  const core = await startCore({ SLUICE_ROLES: ["api", "engine"] });
  await engineIs(core, "leader");
  const first = await core.again({ SLUICE_ROLES: ["worker"] });
  const filled = await fillBook(core);
  await until(() => core.trading.commands.untilProjected(filled));
  const second = await core.again({ SLUICE_ROLES: ["worker"] });
  await until(() => second.logged.some((line) => line.includes("standing by")));
  const owner = await core.redis.hget("v1:{t0}:projector", "owner");
  await first.trading.stop();
  const lease = await core.redis.hgetall("v1:{t0}:projector");
  // Released, and perhaps taken by the other worker already.
  expect(lease["owner"] !== owner || Number(lease["until"]) <= Date.now()).toBe(true);
  const { sequence } = await core.commit(deposit("ann", "idr", 1n));
  await until(() => core.trading.commands.untilProjected(sequence));
  expect(await core.redis.hget("v1:{t0}:projected", "sequence")).toBe(String(sequence));
  await second.trading.stop();
});
