import { expect, it } from "vitest";
import { SLOW_MACHINE_MS } from "../../kit/running-stack.ts";
import { createHealthApp } from "../../origin/app.ts";
import { entryHash } from "../../origin/journal/journal.ts";
import { openRecord } from "../../origin/open-record.ts";
import { folderArchive } from "../../origin/record/archive/folder-archive.ts";
import { orderArchive } from "../../origin/record/archive/order-archive.ts";
import { systemClock } from "../../shared/clock.ts";
import { openLedgerStores, silentLog } from "./ledger-stores.ts";
import { createTradingWorld, putEntries } from "./trading-world.ts";

const SETTINGS = {
  SLUICE_ROLES: ["worker" as const],
  SLUICE_SYNC_SECONDS: 3_600,
  SLUICE_AUDIT_MINUTES: 0,
  SLUICE_BACKLOG_MB: 100,
  SLUICE_ARCHIVE_DAYS: 3_650,
  DATABASE_URL: undefined,
};

it("a worker-only process counts a parked entry in its own metrics, without an account", {
  timeout: SLOW_MACHINE_MS,
}, async () => {
  const stores = await openLedgerStores("embedded");
  const record = openRecord({
    settings: { ...SETTINGS, VENUE_REDIS_URL: stores.redisServer.url },
    database: stores.database,
    archive: orderArchive(folderArchive(`${stores.folder}/archive`)),
    clock: systemClock,
    log: silentLog,
  });
  try {
    const app = createHealthApp({
      venueRedis: stores.redis,
      database: stores.database,
      record,
      metrics: record.metrics,
    });
    const metrics = async () => (await app.request("/metrics")).text();
    const world = createTradingWorld({ seed: 3 });
    await putEntries(stores.redis, [world.next().entry]);
    const { sequence, hash } = world.position();
    const poison = { sequence: sequence + 1, previousHash: hash, command: "1-1-1", body: '["what is this"]' };
    await putEntries(stores.redis, [{ ...poison, hash: entryHash(poison) }]);
    await expect.poll(metrics, { timeout: 60_000 }).toMatch(/^sluice_venue_ledger_parked_total 1$/m);
  } finally {
    await record.stop();
  }
});
