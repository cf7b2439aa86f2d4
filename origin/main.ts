import { join } from "node:path";
import { systemClock } from "../shared/clock.ts";
import { newId, systemRandom } from "../shared/ids.ts";
import { fetchedKeys } from "./admission/fetched-keys.ts";
import { knownKeys } from "./admission/known-keys.ts";
import { createPassCheck } from "./admission/pass-check.ts";
import { createHealthApp, createOriginApp } from "./app.ts";
import { openArchive } from "./archive/open-archive.ts";
import type { AuditScope } from "./audit/audit-thread.ts";
import { startAudit } from "./audit/start-audit.ts";
import { startControlServer } from "./control/control-server.ts";
import { openAsItIs } from "./db/open-database.ts";
import { parseOriginEnvironment } from "./environment.ts";
import { openHistory } from "./history/history.ts";
import { startHttpServer } from "./http-server.ts";
import { createLiveServer } from "./live/live-server.ts";
import { createLogger } from "./log.ts";
import { watchVenue } from "./metrics/watch-venue.ts";
import { openRecord } from "./open-record.ts";
import { openTrading } from "./open-trading.ts";
import { openVenue } from "./open-venue.ts";
import { connectRedis } from "./redis/connect.ts";
import { keepStoreClock } from "./redis/keep-store-clock.ts";
import { watchStalls } from "./stalls/watch-stalls.ts";
import { stopOnSignal } from "./stop-on-signal.ts";
import { upgradeVenue } from "./upgrade/upgrade-venue.ts";
import { createWaitingHealth } from "./upgrade/waiting-health.ts";

/**
 * The venue, stage by stage: each is started after the one it stands on, and stopped in reverse.
 * With its Redis or PostgreSQL away the process stays up and `/health` names the silent part.
 */
const log = createLogger("origin");

// 1. Settings: every fault at once, before anything is opened.
const environment = parseOriginEnvironment(process.env);
if (!environment.ok) {
  for (const fault of environment.reason) log.fatal(fault);
  process.exit(1);
}
const settings = environment.value;
const stalls = watchStalls({ log });

// 2. The venue's store, and the time by its clock.
const venueRedis = connectRedis(settings.VENUE_REDIS_URL, log);
const clock = await keepStoreClock({ redis: venueRedis, own: systemClock, log });

// 3. The permanent record, and both stores as this version needs them: an earlier version's are upgraded, a later one's refused.
const { SLUICE_HOST: host, SLUICE_ORIGIN_PORT: port, SLUICE_DATA_DIR: dataFolder } = settings;
const database = await openAsItIs({ url: settings.DATABASE_URL, folder: join(dataFolder, "postgres"), log });
const waiting = createWaitingHealth({ host, port });
try {
  await upgradeVenue({
    ...{ redis: venueRedis, redisUrl: settings.VENUE_REDIS_URL, database, dataFolder, withBackup: !settings.SLUICE_UPGRADE_WITHOUT_BACKUP },
    ...{ owner: `${process.pid}.${newId(systemRandom)}`, nowMs: clock.nowMs, tell: waiting.tell, log },
  });
} catch (error) {
  log.fatal({ err: error }, error instanceof Error ? error.message : "the stores cannot be used");
  process.exit(1);
}
await waiting.stop();

// 4. The gate's public keys: whoever comes without a pass is sent away, however he found us.
const { SLUICE_JWKS: jwks, SLUICE_JWKS_URL: jwksUrl = "", SLUICE_ISSUER: issuer } = settings;
const keys = jwks === undefined ? fetchedKeys({ url: new URL(jwksUrl), log }) : await knownKeys(jwks);
const checkPass = createPassCheck({ keys, issuer, queueIds: "any", clock, log });

// 5. The record of trading: ledger, write-behind, audit, archive; how far it is behind decides whether more is taken.
const archive = openArchive(settings);
const record = openRecord({ settings, database, archive, clock, log });
const watched = watchVenue({ redis: venueRedis, folder: settings.SLUICE_DATA_DIR, log });
const metrics = () => record.metrics() + watched.metrics() + stalls.metrics();

// 6. Trading: commands, engine and projections, as far as the roles of this process go.
const trading = openTrading({ settings, database, refusalOf: record.refusalOf, clock, log });

// 7. Accounts: the copies in Redis are brought up to the record, and follow it from here on. The API stands on both.
const venue = settings.SLUICE_ROLES.includes("api")
  ? await openVenue({
      ...{ settings, redis: venueRedis, database, commands: trading.commands, clock, log },
      ...{ history: openHistory({ database, archive }), metrics },
    })
  : undefined;

// 8. HTTP and WebSockets, on loopback unless told otherwise. A process that does not serve the API still tells how it is.
const parts = { venueRedis, database, trading, record };
const healthApp = createHealthApp({ ...parts, metrics });
const app = venue === undefined ? healthApp : createOriginApp({ ...parts, checkPass, log, ...venue });
const live = venue && createLiveServer({ checkPass, clock, random: systemRandom, log, ...venue });
const server = await startHttpServer({ app, live, host, port });
const { SLUICE_METRICS_PORT: metricsPort } = settings;
const monitored = metricsPort === undefined ? undefined : await startHttpServer({ app: healthApp, host, port: metricsPort });
log.info({ port }, "origin listens");

// 9. The command line of this machine.
const stores = { database, databaseUrl: settings.DATABASE_URL, redis: venueRedis, redisUrl: settings.VENUE_REDIS_URL };
const audit = (scope: AuditScope) => startAudit(stores, scope).report;
const control = venue && (await startControlServer(dataFolder, { ...venue, record: { ...stores, nowMs: clock.nowMs, audit } }, log));

stopOnSignal(log, [
  { name: "venue store", stop: async () => venueRedis.disconnect() },
  { name: "clock", stop: async () => clock.stop() },
  { name: "database", stop: database.close },
  { name: "record", stop: record.stop },
  { name: "watch", stop: async () => watched.stop() },
  { name: "trading", stop: trading.stop },
  { name: "accounts", stop: async () => venue?.stop() },
  { name: "http", stop: server.stop },
  { name: "metrics", stop: async () => monitored?.stop() },
  { name: "control", stop: async () => control?.stop() },
]);
