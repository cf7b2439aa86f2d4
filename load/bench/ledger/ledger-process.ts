import { openDatabase } from "../../../origin/db/open-database.ts";
import { openRecord } from "../../../origin/open-record.ts";
import { folderArchive } from "../../../origin/record/archive/folder-archive.ts";
import { orderArchive } from "../../../origin/record/archive/order-archive.ts";
import { systemClock } from "../../../shared/clock.ts";
import { createLogger } from "../../../stack/program/log.ts";

/** A worker with ledger and write-behind only, as it runs beside an engine in another process. */
const databaseUrl = process.env["DATABASE_URL"];
const log = createLogger("ledger-bench", { write: (line) => void process.stderr.write(line) });
const database = await openDatabase({ url: databaseUrl, folder: "unused" });
const settings = {
  ...{
    SLUICE_ROLES: ["worker" as const],
    SLUICE_SYNC_SECONDS: 10,
    SLUICE_AUDIT_MINUTES: 0,
    SLUICE_BACKLOG_MB: 1_024,
    SLUICE_ARCHIVE_DAYS: 90,
  },
  ...{ VENUE_REDIS_URL: process.env["VENUE_REDIS_URL"] ?? "", DATABASE_URL: databaseUrl },
};
const record = openRecord({
  settings,
  database,
  archive: orderArchive(folderArchive("unused")),
  clock: systemClock,
  log,
});
process.on("SIGTERM", () => void record.stop().then(() => process.exit(0)));
