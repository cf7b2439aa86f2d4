import { beforeAll, describe, expect, it } from "vitest";
import type { Database } from "../../origin/db/database.ts";
import { CONSUMERS_KEY, FENCE_KEY } from "../../origin/journal/keys.ts";
import { auditSinceLast, runAudit } from "../../origin/record/audit/run-audit.ts";
import { startAudit } from "../../origin/record/audit/start-audit.ts";
import type { KeptLedger } from "../../origin/record/ledger/keep-ledger.ts";
import { ledgerHash } from "../../origin/record/ledger/ledger-chain.ts";
import { PROJECTED_KEY } from "../../origin/state/keys.ts";
import { startStateProjection } from "../../origin/state/state-projection.ts";
import { startTradingVenue } from "../venue/trader.ts";
import { type LedgerStores, openLedgerStores, rowsOf, silentLog, startLedger } from "./ledger-stores.ts";
import { createTradingWorld, putEntries } from "./trading-world.ts";

const TIMEOUT = { timeout: 20_000 };

/** Counts the ledger rows that were read. */
function counting(database: Database): Database & { readonly entries: () => number } {
  let entries = 0;
  const query: Database["query"] = async (text, params) => {
    const rows = await database.query(text, params);
    if (/FROM ledger_entries e WHERE e.sequence >/.test(text)) entries += rows.length;
    return rows;
  };
  return { ...database, query, entries: () => entries };
}

describe.each(["embedded", "server"] as const)("the regular audit in the %s database", (kind) => {
  let stores: LedgerStores;
  let ledger: KeptLedger;
  const world = createTradingWorld({ seed: 23 });

  async function trade(count: number): Promise<void> {
    await putEntries(
      stores.redis,
      Array.from({ length: count }, () => world.next().entry),
    );
    const { sequence } = world.position();
    await expect.poll(() => stores.redis.hget(PROJECTED_KEY, "sequence"), TIMEOUT).toBe(String(sequence));
    await expect.poll(() => ledger.state().sequence, TIMEOUT).toBe(sequence);
  }

  /** One older entry per audit, so that they can be counted. */
  const audit = (database = stores.database) => auditSinceLast({ database, redis: stores.redis, stretchMin: 1 });
  const inThread = () => {
    const { database, redis, redisServer, postgres } = stores;
    return startAudit({ database, databaseUrl: postgres?.url, redis, redisUrl: redisServer.url }, "sinceLast");
  };
  const verified = async () =>
    (await rowsOf(stores.database, "SELECT walk, sequence::int AS sequence FROM audit_walks ORDER BY walk DESC")).map(
      ({ sequence }) => sequence,
    );
  const faultsOf = (lines: Awaited<ReturnType<typeof audit>>["lines"]) =>
    lines.flatMap(({ check, faults }) => faults.map((fault) => `${check}: ${fault}`));

  /** Changes rows as a superuser could. */
  async function tamper(statement: string): Promise<() => Promise<void>> {
    const tables = ["postings", "ledger_entries"];
    const each = (text: (table: string) => string) =>
      stores.database.transaction((tx) => tx.script(tables.map(text).join(";")));
    await each(
      (table) => `CREATE TABLE saved_${table} AS SELECT * FROM ${table}; ALTER TABLE ${table} DISABLE TRIGGER ALL`,
    );
    await stores.database.query(statement, []);
    return () =>
      each(
        (table) =>
          `DELETE FROM ${table}; INSERT INTO ${table} SELECT * FROM saved_${table}; DROP TABLE saved_${table}; ALTER TABLE ${table} ENABLE TRIGGER ALL`,
      );
  }

  beforeAll(async () => {
    stores = await openLedgerStores(kind);
    ledger = startLedger(stores);
    const parts = {
      reader: stores.connect(),
      writer: stores.connectRaw(),
      feed: undefined,
      owner: "audit-test",
      onProjected: () => {},
      log: silentLog,
    };
    startStateProjection({ ...stores, ...parts });
  });

  it("checks everything once, then only new entries and a stretch of old ones", async () => {
    await trade(60);
    const first = counting(stores.database);
    expect(faultsOf((await audit(first)).lines)).toEqual([]);
    expect(first.entries()).toBe(60);
    expect(await verified()).toEqual([60, 0]);
    await trade(7);
    const second = counting(stores.database);
    const report = await audit(second);
    expect(faultsOf(report.lines)).toEqual([]);
    expect([second.entries(), report.entriesRead, report.sequence]).toEqual([8, 8, 67]);
    expect(await verified()).toEqual([67, 1]);
  });

  it("continues in another thread from the verified position, while this event loop keeps turning", async () => {
    await trade(5);
    const before = { own: process.threadCpuUsage(), all: process.cpuUsage() };
    const running = inThread();
    let turns = 0;
    const turning = setInterval(() => turns++, 1);
    const report = await running.report.finally(() => clearInterval(turning));
    const used = { own: process.threadCpuUsage(before.own), all: process.cpuUsage(before.all) };
    expect((used.own.user + used.own.system) / (used.all.user + used.all.system)).toBeLessThan(0.5);
    expect(faultsOf(report.lines)).toEqual([]);
    // Five new entries, and all older ones, because a small ledger is checked whole.
    expect([report.sequence, report.entriesRead]).toEqual([72, 5 + 66]);
    expect(turns).toBeGreaterThan(20);
    expect(await verified()).toEqual([72, 67]);
    expect(await stores.redis.hget(CONSUMERS_KEY, "audit")).toBe(null);
  });

  it("finds a change in a new entry, and does not mark it verified", async () => {
    await trade(4);
    const mend = await tamper("UPDATE postings SET amount = amount + 1 WHERE sequence = 74 AND number = 0");
    expect(faultsOf((await audit()).lines)).toContain("chain: entry 74 was changed: its hash does not match its rows");
    expect(await verified()).toEqual([72, 67]);
    await mend();
    expect(faultsOf((await audit()).lines)).toEqual([]);
    expect((await verified())[0]).toBe(76);
  });

  it("finds a change in an old entry when its stretch is checked again; the full audit finds it at once", async () => {
    const mend = await tamper("UPDATE postings SET amount = amount + 1 WHERE sequence = 3 AND number = 0");
    expect(faultsOf((await runAudit({ ...stores, withRestore: false })).lines)).not.toEqual([]);
    const found: string[] = [];
    for (let audits = 0; audits < 76 && found.length === 0; audits++) found.push(...faultsOf((await audit()).lines));
    expect(found).toContain("chain: entry 3 was changed: its hash does not match its rows");
    await mend();
    expect(faultsOf((await audit()).lines)).toEqual([]);
  });

  it("finds a changed old entry with a recomputed chain by the last verified hash", async () => {
    const mend = await tamper("SELECT 1");
    await stores.database.query("UPDATE ledger_entries SET hash = $1 WHERE sequence = 76", [
      ledgerHash({
        previousHash: "another",
        sequence: 76,
        journalHash: "another",
        posted: { trades: [], postings: [] },
      }),
    ]);
    expect(faultsOf((await audit()).lines)).toContain("chain: entry 76 has changed since an earlier audit verified it");
    await mend();
  });

  it("keeps the later of two positions when two audits run at once", async () => {
    await trade(3);
    const both = await Promise.all([audit(), audit()]);
    expect(both.every(({ isClean }) => isClean)).toBe(true);
    expect((await verified())[0]).toBe(79);
    expect(faultsOf((await audit()).lines)).toEqual([]);
  });

  it("does not hold the journal after it was aborted", async () => {
    const running = inThread();
    const broken = expect(running.report).rejects.toThrow("aborted");
    await running.stop();
    await broken;
    await expect.poll(() => stores.redis.hget(CONSUMERS_KEY, "audit"), TIMEOUT).toBe(null);
  });
});

it("an audit changes neither the leader nor the answer to an order", async () => {
  const venue = await startTradingVenue();
  const anna = await venue.trader("anna", { idr: "10000000000", btc: "100" });
  const order = { pair: "btcidr", side: "sell", type: "limit", price: "1000000000", quantity: "0.001" };
  for (let batch = 0; batch < 4; batch++) {
    const many = await anna.call("POST", "/orders/batch", {
      json: { orders: Array.from({ length: 10 }, () => order) },
    });
    expect(many.status).toBe(200);
  }
  const epoch = await venue.redis.hget(FENCE_KEY, "epoch");
  const stores = {
    database: venue.database,
    databaseUrl: venue.postgres.url,
    redis: venue.redis,
    redisUrl: venue.redisServer.url,
  };
  let isOver = false;
  const audits = (async () => {
    for (const scope of ["sinceLast", "full", "sinceLast"] as const)
      expect((await startAudit(stores, scope).report).isClean).toBe(true);
    isOver = true;
  })();
  let placed = 0;
  while (!isOver) {
    const buy = await anna.place({ side: "buy", price: "900000000", quantity: "0.001", timeInForce: "IOC" });
    if (buy.status !== 429) expect(buy.status).toBe(201);
    placed++;
  }
  await audits;
  expect(placed).toBeGreaterThan(0);
  expect(await venue.redis.hget(FENCE_KEY, "epoch")).toBe(epoch);
});
