import { spawnSync } from "node:child_process";
import { chmodSync, closeSync, mkdirSync, openSync, rmSync, writeSync } from "node:fs";
import { Redis } from "ioredis";
import postgresClient from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type PostgresServer, startPostgresServer } from "../../kit/postgres-server.ts";
import { temporaryFolder } from "../../kit/temporary-folder.ts";
import { openDatabase } from "../../origin/db/open-database.ts";
import { createFindings } from "../../origin/record/audit/findings.ts";
import { startOfWalk, walkLedger } from "../../origin/record/audit/walk-ledger.ts";
import { watchBacklog } from "../../origin/record/ledger/backlog.ts";
import type { KeptLedger } from "../../origin/record/ledger/keep-ledger.ts";
import { startRedisServer } from "../../stack/servers/redis-server.ts";
import { type LedgerStores, openLedgerStores, rowsOf, silentLog, startLedger } from "./ledger-stores.ts";
import { createTradingWorld, putEntries } from "./trading-world.ts";

const TIMEOUT = { timeout: 40_000 };
const CONNECTIONS_MAX = 9;
/** Three take longer than a statement may: the ledger halves its steps twice. */
const SLOW_ENTRIES = 8;

describe("when PostgreSQL is unavailable, the ledger", () => {
  const world = createTradingWorld({ seed: 21 });
  let server: PostgresServer;
  let stores: LedgerStores;
  let ledger: KeptLedger;
  let trades = 0;
  const trade = async (count = 10) => {
    const batches = Array.from({ length: count }, () => world.next());
    trades += batches.reduce((sum, { changes }) => sum + changes.trades.length, 0);
    await putEntries(
      stores.redis,
      batches.map(({ entry }) => entry),
    );
  };
  const untilAway = () => expect.poll(() => ledger.state().isFailing, TIMEOUT).toBe(true);
  const untilCaughtUp = async () => {
    await expect.poll(() => ledger.state().sequence, TIMEOUT).toBe(world.position().sequence);
    const findings = createFindings();
    const walk = await walkLedger(stores.database, { from: startOfWalk(), upTo: world.position().sequence, findings });
    expect([walk.trades, ...findings.of("chain"), ...findings.of("trades")]).toEqual([trades]);
  };

  beforeAll(async () => {
    server = await startPostgresServer(await temporaryFolder());
    stores = await openLedgerStores(server);
    ledger = startLedger(stores);
  });

  afterAll(async () => {
    await ledger.stop();
    await server.stop();
  });

  it("continues by itself when a killed server is back, with few connections", async () => {
    await trade();
    await untilCaughtUp();
    process.kill(server.child.pid, "SIGKILL");
    await server.child.exited;
    await trade();
    await untilAway();
    server = await server.again();
    await untilCaughtUp();
    const [count] = await rowsOf(
      stores.database,
      "SELECT count(*)::int AS count FROM pg_stat_activity WHERE backend_type = 'client backend'",
    );
    expect(Number(count?.["count"])).toBeLessThanOrEqual(CONNECTIONS_MAX);
  });

  it("waits for a hanging server, reports the backlog, and refuses orders at the bound", async () => {
    const backlog = watchBacklog({
      redis: stores.redis,
      clock: { nowMs: () => Date.now() },
      log: silentLog,
      bytesMax: 200_000,
      haltedFor: () => undefined,
    });
    const place = { kind: "place" } as Parameters<typeof backlog.refusalOf>[0];
    server.freeze();
    await trade();
    await expect.poll(() => backlog.current().entries, TIMEOUT).toBeGreaterThanOrEqual(10);
    expect(backlog.refusalOf(place)).toBe(undefined);
    while (backlog.current().level !== "full") {
      await trade(20);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    expect(backlog.refusalOf(place)).toBe("backlog_full");
    expect(backlog.refusalOf({ kind: "cancelAll", user: "x", pair: "" })).toBe(undefined);
    expect(backlog.health()).toMatchObject({ state: "down", detail: expect.stringContaining("behind") });
    await untilAway();
    server.thaw();
    await untilCaughtUp();
    await expect.poll(() => backlog.current().level, TIMEOUT).toBe("ok");
    expect(backlog.refusalOf(place)).toBe(undefined);
    backlog.stop();
  });

  it("does not wait for ever for a locked table", async () => {
    const sql = postgresClient(stores.postgres?.url ?? "", { max: 1, onnotice: () => {} });
    const holding = await sql.reserve();
    await holding.unsafe("BEGIN; LOCK TABLE postings IN ACCESS EXCLUSIVE MODE").simple();
    await trade();
    await untilAway();
    await holding.unsafe("ROLLBACK").simple();
    await untilCaughtUp();
    holding.release();
    await sql.end();
  });

  it("writes to a slow server in smaller batches", async () => {
    // Longer than a statement may take for a batch, short enough for a few entries.
    await stores.database.transaction((tx) =>
      tx.script(`CREATE FUNCTION slowly() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(1.2); RETURN NEW; END $$;
        CREATE TRIGGER slowly BEFORE INSERT ON ledger_entries FOR EACH ROW EXECUTE FUNCTION slowly()`),
    );
    await trade(SLOW_ENTRIES);
    await untilAway();
    await expect
      .poll(() => ledger.state().sequence ?? 0, TIMEOUT)
      .toBeGreaterThan(world.position().sequence - SLOW_ENTRIES + 1);
    // Waits for a slow transaction.
    await stores.database.transaction((tx) => tx.query("DROP TRIGGER slowly ON ledger_entries", []), 30_000);
    await untilCaughtUp();
  });
});

/** Without the right to mount, the only disk to fill is that of the machine. */
const mayMount = (() => {
  const point = `/tmp/sluice-mount-${process.pid}`;
  mkdirSync(point, { recursive: true });
  const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=1m", "tmpfs", point]).status === 0;
  if (mounted) spawnSync("umount", [point]);
  rmSync(point, { recursive: true });
  return mounted;
})();

describe.runIf(mayMount)("when the disk of PostgreSQL is full, the ledger", () => {
  it("writes no partial batch, and continues when there is space again", async () => {
    const folder = await temporaryFolder();
    const disk = `${folder}/disk`;
    mkdirSync(disk);
    chmodSync(folder, 0o755);
    expect(spawnSync("mount", ["-t", "tmpfs", "-o", "size=400m", "tmpfs", disk]).status).toBe(0);
    const redisServer = await startRedisServer({ folder: `${folder}/redis`, fsync: "no" });
    const redis = new Redis(redisServer.url, { maxRetriesPerRequest: null });
    let server = await startPostgresServer(disk);
    const database = await openDatabase({ url: server.url, folder: "unused" });
    const reader = redis.duplicate();
    const ledger = startLedger({ database, connect: () => reader });
    const world = createTradingWorld({ seed: 22 });
    const trade = (count: number) =>
      putEntries(
        redis,
        Array.from({ length: count }, () => world.next().entry),
      );
    try {
      await trade(10);
      await expect.poll(() => ledger.state().sequence, TIMEOUT).toBe(10);
      fill(disk);
      while (!ledger.state().isFailing) {
        await trade(20);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      rmSync(`${disk}/filler`);
      if (server.child.hasExited()) server = await server.again();
      await expect.poll(() => ledger.state().sequence, TIMEOUT).toBe(world.position().sequence);
      const findings = createFindings();
      await walkLedger(database, { from: startOfWalk(), upTo: world.position().sequence, findings });
      expect([...findings.of("chain"), ...findings.of("trades")]).toEqual([]);
    } finally {
      await ledger.stop();
      await database.close();
      await server.stop();
      redis.disconnect();
      reader.disconnect();
      await redisServer.stop();
      spawnSync("umount", ["-l", disk]);
    }
  });
});

function fill(disk: string): void {
  const file = openSync(`${disk}/filler`, "w");
  try {
    for (;;) writeSync(file, Buffer.alloc(64 * 1024));
  } catch {
    closeSync(file);
  }
}
