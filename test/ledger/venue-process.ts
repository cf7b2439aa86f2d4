import { writeSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { Submitted } from "../../origin/commit/submit/commands.ts";
import { openDatabase } from "../../origin/db/open-database.ts";
import { openMarket } from "../../origin/open-market.ts";
import { openRecord } from "../../origin/open-record.ts";
import { openTrading } from "../../origin/open-trading.ts";
import { folderArchive } from "../../origin/record/archive/folder-archive.ts";
import { orderArchive } from "../../origin/record/archive/order-archive.ts";
import { systemClock } from "../../shared/clock.ts";
import { createLogger } from "../../stack/program/log.ts";
import { REPORTS_FD } from "../../stack/servers/child.ts";
import { conditionalMix } from "../core/make-orders.ts";

/**
 * A process of the origin for the kill tests: the real parts in the roles of `SLUICE_ROLES`, without HTTP. With
 * `LOAD_SEED` it trades by itself, conditional orders and lists included, and makes deposits under references that it reports once they are acknowledged.
 */
const roles = (process.env["SLUICE_ROLES"] ?? "").split(",") as ("api" | "engine" | "worker")[];
const log = createLogger("venue-process");
const database = await openDatabase({ url: process.env["DATABASE_URL"], folder: "unused" });
const settings = {
  SLUICE_ROLES: roles,
  SLUICE_UNSAFE_STORE: false,
  VENUE_REDIS_URL: process.env["VENUE_REDIS_URL"] ?? "",
  DATABASE_URL: process.env["DATABASE_URL"],
  SLUICE_SYNC_SECONDS: 1,
  SLUICE_AUDIT_MINUTES: 0,
  SLUICE_BACKLOG_MB: 256,
  SLUICE_ARCHIVE_DAYS: 90,
};
const record = openRecord({
  settings,
  database,
  archive: orderArchive(folderArchive("unused")),
  clock: systemClock,
  log,
});
const trading = openTrading({ settings, database, refusalOf: record.refusalOf, clock: systemClock, log });
const market = openMarket({
  settings,
  database,
  objects: folderArchive("unused"),
  feed: trading.feed,
  clock: systemClock,
  log,
});

const ORDERS_AT_ONCE = 10;
const TRADERS = 40;

async function trade(seed: string): Promise<never> {
  const mix = conditionalMix(Number(seed), TRADERS);
  const payments = mix.deposits();
  for (let round = 0; ; round++) {
    // Two deposits per round, repeated from the beginning, each under its own reference.
    const deposits = payments
      .slice((2 * round) % payments.length)
      .slice(0, 2)
      .map((body, index) => ({ ...body, reference: `${seed}-${round}-${index}` }));
    const bodies = [...deposits, ...Array.from({ length: ORDERS_AT_ONCE }, mix.next)];
    const answers = await Promise.all(bodies.map(trading.commands.submit));
    for (const answer of answers) mix.note(answer);
    // Written before the next one is made, so that no acknowledgement is lost with this process.
    const told = deposits.filter((_, index) => isDone(answers[index]));
    for (const { reference } of told) writeSync(REPORTS_FD, `${reference}\n`);
    if (told.length === 0) await sleep(20);
  }
}

function isDone(answer: Submitted | undefined): boolean {
  return answer?.kind === "committed" && answer.outcome.kind === "done";
}

const seed = process.env["LOAD_SEED"];
if (seed !== undefined) void trade(seed);
const stop = async () => {
  await market.stop();
  await trading.stop();
  await record.stop();
  process.exit(0);
};
process.on("SIGTERM", () => void stop());
