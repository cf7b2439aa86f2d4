import { randomBytes } from "node:crypto";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { temporaryFolder } from "../../kit/temporary-folder.ts";
import { type EmbeddedDatabase, openEmbeddedDatabase } from "../../origin/db/embedded-database.ts";
import { UPKEEP } from "../../origin/db/embedded-upkeep.ts";
import { layOutEmbedded } from "../../origin/db/lay-out-embedded.ts";
import { EMBEDDED_ROWS_MAX } from "../../origin/record/ledger/keep-ledger.ts";
import { keepTables } from "../../origin/record/sync/keep-tables.ts";
import { openLedgerStores, rowsOf, silentLog, startLedger } from "./ledger-stores.ts";
import { createTradingWorld, putEntries } from "./trading-world.ts";

const MIB = 1024 * 1024;
/** Without the vacuum, the last size would be that many times the first. */
const ROUNDS = 3;
const ENTRIES_PER_ROUND = 50;

describe("the files of the embedded database", () => {
  let database: EmbeddedDatabase;
  let folder: string;

  beforeAll(async () => {
    folder = join(await temporaryFolder(), "postgres");
    await layOutEmbedded(folder);
    database = await openEmbeddedDatabase(folder, {
      log: silentLog,
      upkeep: { everyMs: 50, walBytesMax: UPKEEP.walBytesMax },
    });
  });

  afterAll(() => database.close());

  it("do not grow with every flush of the write-behind", async () => {
    const { redis, connect } = await openLedgerStores("embedded");
    const world = createTradingWorld({ seed: 13, userCount: 20, commandsPerBatch: 256 });
    const ledger = startLedger({ database, connect }, EMBEDDED_ROWS_MAX);
    const tables = keepTables({
      database,
      log: silentLog,
      intervalMs: 3_600_000,
      rowsMax: EMBEDDED_ROWS_MAX,
      bodiesKept: 1,
    });
    const look = async () => {
      const text =
        "SELECT pg_total_relation_size(relid)::int AS bytes, vacuum_count::int AS vacuums FROM pg_stat_user_tables WHERE relname = 'journal_bodies'";
      return (await rowsOf(database, text))[0] as { readonly bytes: number; readonly vacuums: number };
    };
    const sizes: number[] = [];
    for (let round = 1; round <= ROUNDS; round++) {
      for (let entries = 0; entries < ENTRIES_PER_ROUND; entries++) await putEntries(redis, [world.next().entry]);
      while (ledger.state().sequence !== round * ENTRIES_PER_ROUND) await sleep(5);
      const { bytes, vacuums } = await look();
      sizes.push(bytes);
      await tables.flush();
      await expect.poll(async () => (await look()).vacuums, { timeout: 10_000 }).toBeGreaterThan(vacuums);
    }
    expect(sizes.at(-1)).toBeLessThan(2 * (sizes[0] ?? 0));
    await ledger.stop();
  });

  it("do not keep the whole write-ahead log", async () => {
    const body = randomBytes(MIB / 2).toString("hex");
    for (let sequence = 1_000_000; sequence < 1_000_300; sequence++) {
      await database.query(
        "INSERT INTO journal_bodies (sequence, previous_hash, hash, last_command, body) VALUES ($1, '', '', '', $2)",
        [String(sequence), body],
      );
    }
    const files = (await readdir(join(folder, "pg_wal"))).map((name) => join(folder, "pg_wal", name));
    const sizes = await Promise.all(files.map(async (file) => (await stat(file)).size));
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(250 * MIB);
  });
});
