import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, describe, expect, it } from "vitest";
import type { Database } from "../../origin/db/database.ts";
import { EMBEDDED_ROWS_MAX } from "../../origin/record/ledger/keep-ledger.ts";
import { keepTables } from "../../origin/record/sync/keep-tables.ts";
import { type LedgerStores, openLedgerStores, silentLog, startLedger } from "./ledger-stores.ts";
import { createTradingWorld, putEntries } from "./trading-world.ts";

const ENTRIES = 60;
/** The most that the engine puts into one entry. */
const COMMANDS_PER_ENTRY = 256;

/** Counts how often a timer of 1 ms fired during the work. */
async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  const timer = setInterval(() => turns++, 1);
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
  return turns;
}

describe("a backlog of full entries on the embedded database", () => {
  let stores: LedgerStores;
  const world = createTradingWorld({ seed: 16, userCount: 20, commandsPerBatch: COMMANDS_PER_ENTRY });

  beforeAll(async () => {
    stores = await openLedgerStores("embedded");
    for (let index = 0; index < ENTRIES; index++) await putEntries(stores.redis, [world.next().entry]);
    const ledger = startLedger(stores, EMBEDDED_ROWS_MAX);
    while (ledger.state().sequence !== ENTRIES) await sleep(5);
    await ledger.stop();
  });

  it("is written to the tables without blocking the event loop, reading each body once", async () => {
    let bodiesRead = 0;
    const database: Database = {
      ...stores.database,
      query: async (text, params) => {
        const rows = await stores.database.query(text, params);
        bodiesRead += rows.filter((row) => "body" in (row as object)).length;
        return rows;
      },
    };
    const tables = keepTables({ database, log: silentLog, intervalMs: 3_600_000, rowsMax: EMBEDDED_ROWS_MAX });
    expect(await turnsDuring(tables.flush)).toBeGreaterThan(ENTRIES);
    expect(tables.state().sequence).toBe(ENTRIES);
    expect(bodiesRead).toBe(ENTRIES);
  });
});
