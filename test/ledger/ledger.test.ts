import { beforeAll, describe, expect, it } from "vitest";
import { entryHash } from "../../origin/journal/journal.ts";
import { CONSUMERS_KEY } from "../../origin/journal/keys.ts";
import { createFindings } from "../../origin/record/audit/findings.ts";
import { startOfWalk, walkLedger } from "../../origin/record/audit/walk-ledger.ts";
import type { KeptLedger } from "../../origin/record/ledger/keep-ledger.ts";
import { type LedgerStores, openLedgerStores, rowsOf, startLedger } from "./ledger-stores.ts";
import { createTradingWorld, putEntries, type TradingWorld } from "./trading-world.ts";

const TIMEOUT = { timeout: 15_000 };

describe.each(["embedded", "server"] as const)("the ledger in the %s database", (kind) => {
  let stores: LedgerStores;
  let ledger: KeptLedger;
  let world: TradingWorld;
  let trades = 0;
  const trade = async (count: number) => {
    const batches = Array.from({ length: count }, () => world.next());
    trades += batches.reduce((sum, { changes }) => sum + changes.trades.length, 0);
    await putEntries(
      stores.redis,
      batches.map(({ entry }) => entry),
    );
  };
  const untilWritten = async () => expect.poll(() => ledger.state().sequence, TIMEOUT).toBe(world.position().sequence);
  const only = async (text: string) => Object.values((await rowsOf(stores.database, text))[0] ?? {})[0];

  beforeAll(async () => {
    stores = await openLedgerStores(kind);
    world = createTradingWorld({ seed: 7, atMs: Date.UTC(2031, 0, 31, 23, 59, 59, 900) });
    ledger = startLedger(stores);
  });

  it("holds every trade and movement once, in double entry, before it reports its position to Redis", async () => {
    await trade(60);
    await untilWritten();
    expect(trades).toBeGreaterThan(100);
    expect(await only("SELECT count(*)::int FROM trade_ledger")).toBe(trades);
    expect(await only("SELECT max(trade_id)::int FROM trade_ledger")).toBe(trades);
    expect(
      await rowsOf(stores.database, "SELECT sequence, currency FROM postings GROUP BY 1, 2 HAVING sum(amount) <> 0"),
    ).toEqual([]);
    expect(await stores.redis.hget(CONSUMERS_KEY, "ledger")).toBe(String(world.position().sequence));
  });

  it("sums up to the balances of the engine", async () => {
    const sums = await rowsOf(
      stores.database,
      `SELECT account, currency, (sum(amount) * CASE currency WHEN 'idr' THEN 100 ELSE 100000000 END)::bigint::text AS steps
       FROM postings WHERE account <> 'outside' GROUP BY 1, 2 ORDER BY 1, 2`,
    );
    expect(sums.length).toBeGreaterThan(20);
    for (const { account, currency, steps } of sums) {
      const { available, frozen } = world.engine.balance(String(account), String(currency));
      expect(`${account} ${currency} ${steps}`).toBe(`${account} ${currency} ${available + frozen}`);
    }
  });

  it("has a hash chain that can be recomputed from its rows", async () => {
    const findings = createFindings();
    const walk = await walkLedger(stores.database, { from: startOfWalk(), upTo: world.position().sequence, findings });
    expect(walk).toMatchObject({ sequence: world.position().sequence, lastTradeId: trades });
    expect([findings.of("chain"), findings.of("trades"), findings.of("double entry")]).toEqual([[], [], []]);
  });

  it.each(["trade_ledger", "postings", "ledger_entries", "ledger_grids", "ledger_currencies"])(
    "refuses to change or delete rows of %s",
    async (table) => {
      const column = {
        trade_ledger: "symbol",
        postings: "account",
        ledger_entries: "hash",
        ledger_grids: "pair",
        ledger_currencies: "currency",
      }[table];
      await expect(stores.database.query(`UPDATE ${table} SET ${column} = ${column}`, [])).rejects.toThrow(
        "only grows",
      );
      await expect(stores.database.query(`DELETE FROM ${table}`, [])).rejects.toThrow("only grows");
      await expect(stores.database.query(`TRUNCATE ${table} CASCADE`, [])).rejects.toThrow("only grows");
    },
  );

  it("refuses it for a monthly partition too", async () => {
    for (const part of ["trade_ledger_2031_01", "postings_2031_01"]) {
      await expect(stores.database.query(`TRUNCATE ${part}`, [])).rejects.toThrow("only grows");
      await expect(stores.database.query(`DELETE FROM ${part}`, [])).rejects.toThrow("only grows");
    }
  });

  it("is written by a role without the right to update or delete", async () => {
    const asWriter = (text: string) =>
      stores.database.transaction(async (tx) => {
        await tx.query("SELECT set_config('role', 'sluice_ledger', true)", []);
        return tx.query(text, []);
      });
    for (const table of ["trade_ledger", "postings", "ledger_entries", "trade_ledger_2031_01"]) {
      await expect(asWriter(`UPDATE ${table} SET sequence = 1`)).rejects.toMatchObject({ code: "42501" });
      await expect(asWriter(`DELETE FROM ${table}`)).rejects.toMatchObject({ code: "42501" });
    }
  });

  it("creates a partition for each month ahead of time", async () => {
    const parts = await rowsOf(
      stores.database,
      `SELECT (SELECT count(*) FROM postings_2031_01) > 0 AS january, (SELECT count(*) FROM postings_2031_02) > 0 AS february,
        to_regclass('postings_2031_03') IS NOT NULL AS march`,
    );
    expect(parts).toEqual([{ january: true, february: true, march: true }]);
  });

  it("posts each entry once when two processes follow the same journal", async () => {
    const second = startLedger(stores);
    for (let round = 0; round < 5; round++) await trade(10);
    await expect
      .poll(() => only("SELECT sequence::int FROM ledger_consumer_offsets WHERE consumer = 'ledger'"), TIMEOUT)
      .toBe(world.position().sequence);
    await second.stop();
    await untilWritten();
    expect(await only("SELECT count(*)::int FROM trade_ledger")).toBe(trades);
    expect(await only("SELECT count(*)::int FROM ledger_entries")).toBe(world.position().sequence);
  });

  it("keeps nothing of a batch whose transaction fails, and writes all of it on retry", async () => {
    await ledger.stop();
    await stores.database.transaction((tx) =>
      tx.script(`CREATE FUNCTION not_now() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'not now'; END $$;
        CREATE TRIGGER not_now BEFORE INSERT ON journal_bodies FOR EACH STATEMENT EXECUTE FUNCTION not_now()`),
    );
    ledger = startLedger(stores);
    const before = world.position().sequence;
    await trade(5);
    await expect.poll(() => ledger.state().isFailing, TIMEOUT).toBe(true);
    expect(await only("SELECT sequence::int FROM ledger_consumer_offsets WHERE consumer = 'ledger'")).toBe(before);
    expect(await only(`SELECT count(*)::int FROM postings WHERE sequence > ${before}`)).toBe(0);
    await stores.database.query("DROP TRIGGER not_now ON journal_bodies", []);
    await untilWritten();
    expect(ledger.state().isFailing).toBe(false);
    expect(await only("SELECT count(*)::int FROM trade_ledger")).toBe(trades);
  });

  it("parks and reports an unreadable entry, and continues after it", async () => {
    const before = world.position();
    const poison = {
      sequence: before.sequence + 1,
      previousHash: before.hash,
      command: "1-1-1",
      body: '["what is this"]',
    };
    // The next entry of the world follows the poisoned one.
    await putEntries(stores.redis, [{ ...poison, hash: entryHash(poison) }]);
    await expect.poll(() => ledger.state().parked, TIMEOUT).toBe(1);
    const next = { ...world.next().entry, sequence: before.sequence + 2, previousHash: entryHash(poison) };
    await putEntries(stores.redis, [{ ...next, hash: entryHash(next) }]);
    await expect.poll(() => ledger.state().sequence, TIMEOUT).toBe(before.sequence + 2);
    const [parked] = await rowsOf(stores.database, "SELECT sequence::int AS sequence, reason, body FROM ledger_parked");
    expect(parked).toMatchObject({
      sequence: poison.sequence,
      body: poison.body,
      reason: expect.stringContaining("unreadable"),
    });
  });

  it("parks only the entry that the tables refuse", async () => {
    const at = (ledger.state().sequence ?? 0) + 1;
    const last = await rowsOf(
      stores.database,
      `SELECT journal_hash AS hash FROM ledger_entries ORDER BY sequence DESC LIMIT 1`,
    );
    const good = JSON.parse(world.next().entry.body) as unknown[];
    const movement = ["deposit", "9-9-9", 1_781_000_000_000, "", "someone", "idr", 5, "fine"];
    const bodies = [[movement], [[...movement.slice(0, 6), 0, "nothing"]], [movement]].map((movements) =>
      JSON.stringify(good.with(5, []).with(7, movements)),
    );
    let previousHash = String(last[0]?.["hash"]);
    const entries = bodies.map((body, index) => {
      const entry = { sequence: at + index, previousHash, command: "9-9-9", body };
      previousHash = entryHash(entry);
      return { ...entry, hash: previousHash };
    });
    await putEntries(stores.redis, entries);
    await expect.poll(() => ledger.state().sequence, TIMEOUT).toBe(at + 2);
    expect(
      await rowsOf(stores.database, `SELECT sequence::int AS sequence FROM ledger_parked WHERE sequence >= ${at}`),
    ).toEqual([{ sequence: at + 1 }]);
    expect(await only(`SELECT count(*)::int FROM postings WHERE sequence >= ${at}`)).toBe(4);
  });

  it("stops with the reason when the journal contradicts the ledger", async () => {
    const other = createTradingWorld({ seed: 99 });
    const foreign = Array.from({ length: (ledger.state().sequence ?? 0) + 1 }, () => other.next().entry);
    await ledger.stop();
    await stores.redis.flushall();
    await putEntries(stores.redis, foreign);
    const confused = startLedger(stores);
    await expect.poll(() => confused.state().haltedFor, TIMEOUT).toContain("have different histories");
    await stores.redis.flushall();
    const bereft = startLedger(stores);
    await expect.poll(() => bereft.state().haltedFor, TIMEOUT).toContain("this Redis ends at 0");
  });
});
