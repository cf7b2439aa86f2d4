import { appendFile, rm } from "node:fs/promises";
import { beforeAll, describe, expect, it } from "vitest";
import { recover } from "../../origin/commit/recover.ts";
import { CONSUMERS_KEY, RESTORING_KEY } from "../../origin/journal/keys.ts";
import { restoreBackup } from "../../origin/operators/restore-backup.ts";
import { archiveOrders } from "../../origin/record/archive/archive-orders.ts";
import { folderArchive } from "../../origin/record/archive/folder-archive.ts";
import { orderArchive } from "../../origin/record/archive/order-archive.ts";
import { runAudit } from "../../origin/record/audit/run-audit.ts";
import { makeBackup } from "../../origin/record/backup/make-backup.ts";
import { openHistory } from "../../origin/record/history/history.ts";
import type { KeptLedger } from "../../origin/record/ledger/keep-ledger.ts";
import { type KeptTables, keepTables } from "../../origin/record/sync/keep-tables.ts";
import { restoreStore } from "../../origin/record/sync/restore-store.ts";
import { LISTS_KEY, orderKey, PROJECTED_KEY, pairTradesKey } from "../../origin/state/keys.ts";
import { type StateProjection, startStateProjection } from "../../origin/state/state-projection.ts";
import { newId, systemRandom } from "../../shared/ids.ts";
import {
  type LedgerStores,
  openEmptyStores,
  openLedgerStores,
  rowsOf,
  silentLog,
  startLedger,
} from "./ledger-stores.ts";
import { createTradingWorld, putEntries, type TradingWorld } from "./trading-world.ts";

const TIMEOUT = { timeout: 15_000 };

describe.each(["embedded", "server"] as const)("the record in the %s database", (kind) => {
  let stores: LedgerStores;
  let ledger: KeptLedger;
  let tables: KeptTables;
  let projection: StateProjection;
  const world: TradingWorld = createTradingWorld({ seed: 11, conditionalShare: 0.4 });
  const trade = (count: number) =>
    putEntries(
      stores.redis,
      Array.from({ length: count }, () => world.next().entry),
    );
  const untilThere = async () => {
    const { sequence } = world.position();
    await expect.poll(() => stores.redis.hget(PROJECTED_KEY, "sequence"), TIMEOUT).toBe(String(sequence));
    await expect.poll(() => ledger.state().sequence, TIMEOUT).toBe(sequence);
  };
  const project = () =>
    startStateProjection({
      ...stores,
      reader: stores.connect(),
      writer: stores.connectRaw(),
      feed: undefined,
      onProjected: () => {},
      owner: newId(systemRandom),
      log: silentLog,
    });
  const faultsOf = async (check: string) => {
    const { lines } = await runAudit({ ...stores, withRestore: true });
    return lines.find((line) => line.check === check)?.faults ?? [];
  };

  beforeAll(async () => {
    stores = await openLedgerStores(kind);
    ledger = startLedger(stores);
    tables = keepTables({
      database: stores.database,
      log: silentLog,
      intervalMs: 3_600_000,
      rowsMax: 40,
      bodiesKept: 5,
    });
    projection = project();
  });

  it("follows the last state of every order and balance, position included", async () => {
    await trade(50);
    await untilThere();
    await tables.flush();
    expect(tables.state().sequence).toBe(50);
    const open = await rowsOf(
      stores.database,
      "SELECT id::int AS id, filled_lots::int AS filled FROM orders WHERE status IN ('open', 'partiallyFilled')",
    );
    expect(open.length).toBeGreaterThan(10);
    for (const { id, filled } of open) expect(world.engine.order(Number(id))?.filledLots).toBe(filled);
    const assets = await rowsOf(
      stores.database,
      "SELECT user_id, currency, available::text AS available, frozen::text AS frozen FROM assets",
    );
    for (const { user_id: user, currency, available, frozen } of assets) {
      const balance = world.engine.balance(String(user), String(currency));
      expect([available, frozen]).toEqual([String(balance.available), String(balance.frozen)]);
    }
  });

  it("has every kind of conditional order and list, with its conditions", async () => {
    const count = async (query: string) => Number((await rowsOf(stores.database, query))[0]?.["count"]);
    const orders = (where: string) => count(`SELECT count(*)::int AS count FROM orders WHERE ${where}`);
    expect(await orders("status = 'pending' AND (conditions->>'stopTicks')::bigint > 0")).toBeGreaterThan(5);
    expect(await orders("status = 'pending' AND conditions->>'phase' = 'tracking'")).toBeGreaterThan(0);
    expect(await orders("status <> 'pending' AND (conditions->>'triggeredAt')::bigint > 0")).toBeGreaterThan(0);
    expect(await orders("(conditions->>'buyOrderId')::bigint > 0")).toBeGreaterThan(5);
    expect(await orders("conditions IS NULL")).toBeGreaterThan(20);
    const lists = "SELECT count(DISTINCT (kind, status))::int AS count FROM order_lists";
    expect(await count(lists)).toBeGreaterThan(5);
    expect(await count("SELECT count(*)::int AS count FROM trading_users WHERE cancel_at > 0")).toBeGreaterThan(0);
    expect(world.engine.verify()).toEqual([]);
  });

  it("agrees with Redis and the ledger, also while trading continues", async () => {
    const busy = (async () => {
      for (let round = 0; round < 20; round++) await trade(2);
    })();
    const report = await runAudit({ ...stores, withRestore: true });
    await busy;
    expect(report.lines.flatMap(({ faults }) => faults)).toEqual([]);
    expect(report.sequence).toBeGreaterThanOrEqual(50);
    await untilThere();
  });

  it("deletes journal bodies once the tables include them, and never before", async () => {
    const kept = "SELECT min(sequence)::int AS first, max(sequence)::int AS last FROM journal_bodies";
    const { sequence } = world.position();
    expect(await rowsOf(stores.database, kept)).toEqual([{ first: 50 - 4, last: sequence }]);
    await tables.flush();
    expect(await rowsOf(stores.database, kept)).toEqual([{ first: sequence - 4, last: sequence }]);
  });

  it("restores an empty Redis exactly as it was at the ledger's position", async () => {
    // One part is in the tables, the other only in the journal bodies.
    await tables.flush();
    await trade(15);
    await untilThere();
    const before = await recover(stores.redis);
    const hashBefore = before.ok ? before.value.engine.stateHash() : before.reason;
    const tradesBefore = await stores.redis.lrange(pairTradesKey("btcidr"), 0, 99);
    await projection.stop();
    await ledger.stop();
    await stores.redis.flushall();

    const restored = await restoreStore(stores.database, stores.redis);
    expect(
      restored.ok ? { sequence: restored.value.sequence, clean: restored.value.audit.isClean } : restored.reason,
    ).toEqual({
      sequence: world.position().sequence,
      clean: true,
    });
    const after = await recover(stores.redis);
    expect(after.ok && after.value.position).toEqual(before.ok && before.value.position);
    expect(after.ok ? after.value.engine.stateHash() : after.reason).toBe(hashBefore);
    expect(hashBefore).toBe(world.engine.stateHash());
    expect(await stores.redis.lrange(pairTradesKey("btcidr"), 0, 99)).toEqual(tradesBefore);
    expect(await stores.redis.exists(RESTORING_KEY)).toBe(0);
  });

  it("refuses to restore over an existing venue", async () => {
    expect(await restoreStore(stores.database, stores.redis)).toMatchObject({
      ok: false,
      reason: expect.stringContaining("already holds a venue"),
    });
  });

  it("repeats an interrupted restore", async () => {
    await stores.redis.set(RESTORING_KEY, "1");
    await stores.redis.del(PROJECTED_KEY);
    await stores.redis.hset(orderKey(999_999), "id", "999999");
    expect(await restoreStore(stores.database, stores.redis)).toMatchObject({ ok: true });
    expect(await stores.redis.exists(orderKey(999_999))).toBe(0);
  });

  it("continues after a restore, and everything still agrees", async () => {
    ledger = startLedger(stores);
    projection = project();
    await trade(20);
    await untilThere();
    await tables.flush();
    const report = await runAudit({ ...stores, withRestore: true });
    expect(report.lines.flatMap(({ faults }) => faults)).toEqual([]);
    expect(report.sequence).toBe(world.position().sequence);
  });

  it("is backed up while trading continues, and restored into empty stores", async () => {
    const folder = `${stores.folder}/backup`;
    const busy = (async () => {
      for (let round = 0; round < 10; round++) await trade(2);
    })();
    const made = await makeBackup({ ...stores, redisUrl: stores.redisServer.url, folder, nowMs: 0 });
    await busy;
    expect(made).toMatchObject({ ok: true });
    expect(await stores.redis.hget(CONSUMERS_KEY, "backup")).toBe(null);
    await untilThere();

    const empty = await openEmptyStores(stores);
    const restored = await restoreBackup({ ...empty, folder, log: silentLog });
    expect(restored.ok ? restored.value.audit.lines.flatMap(({ faults }) => faults) : restored.reason).toEqual([]);
    const sequence = restored.ok ? restored.value.sequence : 0;
    expect(sequence).toBeGreaterThanOrEqual(made.ok ? made.value.sequence : Number.POSITIVE_INFINITY);
    const recovered = await recover(empty.redis);
    expect(recovered.ok && recovered.value.position.sequence).toBe(sequence);
    const [users] = await rowsOf(empty.database, "SELECT count(*)::int AS count FROM ledger_entries");
    expect(users).toEqual({ count: sequence });
    expect(await restoreBackup({ ...empty, folder, log: silentLog })).toMatchObject({
      ok: false,
      reason: expect.stringContaining("already in use"),
    });

    await appendFile(`${folder}/postings.jsonl.gz`, "x");
    expect(await restoreBackup({ ...empty, folder, log: silentLog })).toEqual({
      ok: false,
      reason: "postings.jsonl.gz was changed after the backup: its checksum does not match.",
    });
    await rm(`${folder}/manifest.json`);
    expect(await restoreBackup({ ...empty, folder, log: silentLog })).toMatchObject({
      ok: false,
      reason: expect.stringContaining("no complete backup"),
    });
  });

  it("moves old orders to the archive, finds them there, and loses none in a crash", async () => {
    await tables.flush();
    const archive = orderArchive(folderArchive(`${stores.folder}/archive`));
    const [ended] = await rowsOf(
      stores.database,
      "SELECT count(*)::int AS count, min(id)::int AS first FROM orders WHERE NOT status IN ('open', 'partiallyFilled', 'pending')",
    );
    const { count, first } = ended as { count: number; first: number };
    expect(count).toBeGreaterThan(40);
    // Ended orders are cached; each lookup here starts with an empty cache.
    const find = (orderId: number) => openHistory({ database: stores.database, archive }).findOrder(orderId);
    const before = await find(first);
    const beforeMs = Date.UTC(2027, 0);
    // The file is written, and the process dies before PostgreSQL has its row.
    const dying = {
      ...archive,
      write: async (...args: Parameters<typeof archive.write>) =>
        archive.write(...args).then(() => Promise.reject(new Error("killed"))),
    };
    await expect(archiveOrders({ ...stores, archive: dying, beforeMs, ordersMax: 25 })).rejects.toThrow("killed");
    expect(await find(first)).toEqual(before);
    const lists = await rowsOf(
      stores.database,
      "SELECT id::int AS id FROM order_lists WHERE status = 'done' ORDER BY id",
    );
    const listId = Number(lists[0]?.["id"]);
    const findList = () => openHistory({ database: stores.database, archive }).findList(listId);
    const listBefore = await findList();
    expect(listBefore).toMatchObject({ id: listId, status: "done", orderIds: expect.any(Array) });
    expect(await archiveOrders({ ...stores, archive, beforeMs, ordersMax: 25 })).toBe(count);
    expect(await findList()).toEqual(listBefore);
    expect(await rowsOf(stores.database, "SELECT id FROM order_lists WHERE status = 'done'")).toEqual([]);
    expect(
      await rowsOf(
        stores.database,
        "SELECT count(*)::int AS count FROM orders WHERE NOT status IN ('open', 'partiallyFilled', 'pending')",
      ),
    ).toEqual([{ count: 0 }]);
    expect(await find(first)).toEqual(before);
    expect(before).toMatchObject({
      id: String(first),
      status: expect.stringMatching("filled|cancelled"),
      price: expect.any(String),
    });
    expect(await find(999_999)).toBe(undefined);
    const [file] = await rowsOf(stores.database, "SELECT path FROM order_archives ORDER BY first_id LIMIT 1");
    await appendFile(`${stores.folder}/archive/${file?.["path"]}`, "x");
    await expect(find(first)).rejects.toThrow("does not match its checksum");
  });

  it("names the account whose balance in Redis differs from its postings", async () => {
    const [user] = world.users;
    const wallet = `v1:{t0}:wallet:${user}`;
    const honest = (await stores.redis.hget(wallet, "idr")) ?? "";
    await stores.redis.hset(
      wallet,
      "idr",
      honest.replace(/^(\d+)/, (whole) => String(BigInt(whole) + 1n)),
    );
    expect(await faultsOf("balances")).toEqual([
      expect.stringMatching(new RegExp(`account ${user} at entry ${world.position().sequence}: .* idr in Redis`)),
    ]);
    expect(await faultsOf("conservation")).not.toEqual([]);
    await stores.redis.hset(wallet, "idr", honest);
  });

  it("names an order whose frozen funds are missing", async () => {
    const plain = "SELECT id::int AS id FROM orders WHERE status = 'open' AND pair = 'btcidr' AND conditions IS NULL";
    const id = (await rowsOf(stores.database, plain))[0]?.["id"];
    const row = (await stores.redis.hget("v1:{t0}:book:btcidr", String(id))) ?? "";
    await stores.redis.hdel("v1:{t0}:book:btcidr", String(id));
    expect(await faultsOf("open orders")).not.toEqual([]);
    await stores.redis.hset("v1:{t0}:book:btcidr", String(id), row);
  });

  it("names a trigger and a list that are wrong in Redis or would be restored wrong", async () => {
    const { redis, database } = stores;
    const pending = await rowsOf(
      database,
      "SELECT id::int AS id FROM orders WHERE status = 'pending' AND conditions->>'reserved' <> '0' LIMIT 1",
    );
    const key = orderKey(Number(pending[0]?.["id"]));
    const honest = (await redis.hget(key, "conditions")) ?? "";
    const row = JSON.parse(honest) as unknown[];
    await redis.hset(key, "conditions", JSON.stringify(row.with(8, Number(row[8]) + 1)));
    expect(await faultsOf("open orders")).not.toEqual([]);
    // An expiry that is wrong freezes the same funds: only the record tells.
    await redis.hset(key, "conditions", JSON.stringify(row.with(5, 1)));
    expect(await faultsOf("open orders")).toEqual([]);
    expect(await faultsOf("restore")).toEqual([expect.stringContaining("would differ from the state in Redis")]);
    await redis.hset(key, "conditions", honest);
    const [listId = ""] =
      Object.entries(await redis.hgetall(LISTS_KEY)).find(([, text]) => text.includes("active")) ?? [];
    const list = (await redis.hget(LISTS_KEY, listId)) ?? "";
    await redis.hdel(LISTS_KEY, listId);
    expect(await faultsOf("open orders")).not.toEqual([]);
    await redis.hset(LISTS_KEY, listId, list);
    expect(await faultsOf("open orders")).toEqual([]);
    await tables.flush();
    const wrong = "UPDATE order_lists SET reserved = reserved + 1 WHERE status = 'active' AND reserved > 0";
    await database.query(wrong, []);
    expect(await faultsOf("restore")).not.toEqual([]);
    await database.query(wrong.replace("+ 1", "- 1"), []);
    expect(await faultsOf("restore")).toEqual([]);
  });

  it("finds rows that were changed or removed around the triggers", async () => {
    const tables = ["postings", "trade_ledger", "ledger_entries"];
    const script = (text: (table: string) => string) =>
      stores.database.transaction((tx) => tx.script(tables.map(text).join(";")));
    await script(
      (table) => `CREATE TABLE saved_${table} AS SELECT * FROM ${table}; ALTER TABLE ${table} DISABLE TRIGGER ALL`,
    );
    await stores.database.query("UPDATE postings SET amount = amount + 1 WHERE sequence = 30 AND number = 0", []);
    await stores.database.query("DELETE FROM trade_ledger WHERE trade_id = 40", []);
    await stores.database.query("DELETE FROM ledger_entries WHERE sequence = 45", []);
    const { lines } = await runAudit({ ...stores, withRestore: false });
    const of = (check: string) => lines.find((line) => line.check === check)?.faults.join("\n") ?? "";
    expect(of("chain")).toContain("entry 30 was changed");
    expect(of("chain")).toContain("entries 45 to 45 are missing");
    expect(of("trades")).toContain("trades 40 to 40 are missing");
    expect(of("double entry")).toContain("entry 30 does not balance");
    await script(
      (table) =>
        `DELETE FROM ${table}; INSERT INTO ${table} SELECT * FROM saved_${table}; DROP TABLE saved_${table}; ALTER TABLE ${table} ENABLE TRIGGER ALL`,
    );
    expect((await runAudit({ ...stores, withRestore: false })).isClean).toBe(true);
  });

  it("writes the rest when it is stopped", async () => {
    await trade(3);
    await untilThere();
    expect(tables.state().sequence).toBeLessThan(world.position().sequence);
    await tables.stop(20_000);
    expect(
      await rowsOf(
        stores.database,
        "SELECT sequence::int AS sequence FROM ledger_consumer_offsets WHERE consumer = 'sync'",
      ),
    ).toEqual([{ sequence: world.position().sequence }]);
  });
});
