import { join } from "node:path";
import { systemClock } from "../shared/clock.ts";
import { newId, systemRandom } from "../shared/ids.ts";
import { createLogger } from "../stack/program/log.ts";
import { releaseMemory } from "../stack/program/release-memory.ts";
import { stopOnSignal } from "../stack/program/stop-on-signal.ts";
import { createPassCheck } from "./accounts/admission/admission.ts";
import { fetchedKeys } from "./accounts/admission/fetched-keys.ts";
import { knownKeys } from "./accounts/admission/known-keys.ts";
import { createSeal } from "./accounts/api-keys/seal.ts";
import { createHealthApp, createOriginApp } from "./app.ts";
import { openAsItIs } from "./db/open-database.ts";
import { parseOriginEnvironment } from "./environment.ts";
import { startHttpServer } from "./http-server.ts";
import { createLiveServer } from "./live/live-server.ts";
import { openLiveHost } from "./live/open-live-host.ts";
import { startLiveProcess } from "./live/start-live-process.ts";
import { openMarket } from "./open-market.ts";
import { openRecord } from "./open-record.ts";
import { openTrading } from "./open-trading.ts";
import { openVenue } from "./open-venue.ts";
import { startControlServer } from "./operators/control-server.ts";
import { openPriceWorker } from "./prices/open-prices.ts";
import { openObjectStore } from "./record/archive/open-archive.ts";
import { orderArchive } from "./record/archive/order-archive.ts";
import type { AuditScope } from "./record/audit/audit-thread.ts";
import { startAudit } from "./record/audit/start-audit.ts";
import { openHistory } from "./record/history/history.ts";
import { connectRedis } from "./redis/connect.ts";
import { keepStoreClock } from "./redis/keep-store-clock.ts";
import { watchStalls } from "./system/watch-stalls.ts";
import { watchVenue } from "./system/watch-venue.ts";
import { upgradeVenue } from "./upgrade/upgrade-venue.ts";
import { createWaitingHealth } from "./waiting-health.ts";

/**
 * The venue, stage by stage: each stage starts after those it depends on, and they stop in reverse order. When Redis or
 * PostgreSQL is unavailable, the process stays up and `/health` names the unavailable part.
 */
const log = createLogger("origin");

// 1. Settings: report every fault at once, before anything is opened.
const environment = parseOriginEnvironment(process.env);
if (!environment.ok) {
  for (const fault of environment.reason) log.fatal(fault);
  process.exit(1);
}
const settings = environment.value;
const stalls = watchStalls({ log });

// 2. The venue's store, and its clock.
const venueRedis = connectRedis(settings.VENUE_REDIS_URL, log);
const clock = await keepStoreClock({ redis: venueRedis, own: systemClock, log });

// 3. The permanent record. Stores of an earlier version are upgraded, stores of a later version are refused.
const { SLUICE_HOST: host, SLUICE_ORIGIN_PORT: port, SLUICE_DATA_DIR: dataFolder } = settings;
const database = await openAsItIs({ url: settings.DATABASE_URL, folder: join(dataFolder, "postgres"), log });
const waiting = createWaitingHealth({ host, port });
try {
  await upgradeVenue({
    ...{
      redis: venueRedis,
      redisUrl: settings.VENUE_REDIS_URL,
      database,
      dataFolder,
      withBackup: !settings.SLUICE_UPGRADE_WITHOUT_BACKUP,
    },
    ...{ owner: `${process.pid}.${newId(systemRandom)}`, nowMs: clock.nowMs, tell: waiting.tell, log },
  });
} catch (error) {
  log.fatal({ err: error }, error instanceof Error ? error.message : "cannot use the stores");
  process.exit(1);
}
await waiting.stop();

// 4. The gate's public keys: a request without a valid pass is refused, even if it reaches the origin directly.
const { SLUICE_JWKS: jwks, SLUICE_JWKS_URL: jwksUrl = "", SLUICE_ISSUER: issuer } = settings;
const keys = jwks === undefined ? fetchedKeys({ url: new URL(jwksUrl), log }) : await knownKeys(jwks);
const checkPass = createPassCheck({ keys, issuer, queueIds: "any", clock, log });

// 5. The record of trading: ledger, write-behind, audit, archive. Its backlog decides whether new commands are
// accepted.
const objects = openObjectStore(settings);
const archive = orderArchive(objects);
const record = openRecord({ settings, database, archive, clock, log });
const watched = watchVenue({ redis: venueRedis, folder: settings.SLUICE_DATA_DIR, log });
const metrics = () => record.metrics() + market.metrics() + watched.metrics() + stalls.metrics();

// 6. Trading: commands, engine and projections, by the roles of this process.
const trading = openTrading({ settings, database, refusalOf: record.refusalOf, clock, log });

// 7. Market data: candles, summaries and positions follow the journal.
const market = openMarket({ settings, database, objects, feed: trading.feed, clock, log });

// 8. Accounts: their copies in Redis are updated from the record and follow it. The API depends on both.
const venue = settings.SLUICE_ROLES.includes("api")
  ? await openVenue({
      ...{ settings, redis: venueRedis, database, objects, commands: trading.commands, clock, log },
      ...{ history: openHistory({ database, archive }), metrics },
    })
  : undefined;

// 9. Tracked prices: a worker fetches them by the clock in Tehran; the API serves them from memory.
const prices = settings.SLUICE_ROLES.includes("worker")
  ? openPriceWorker({
      ...{ database, redis: venueRedis, seal: createSeal(settings.SLUICE_SEAL_KEYS, systemRandom), clock, log },
      privateHosts: settings.SLUICE_PRICE_HOSTS,
      withDemo: !settings.SLUICE_PRICES_WITHOUT_DEMO,
    })
  : undefined;

// 10. HTTP and WebSockets, on loopback by default. A process that does not serve the API still reports its health.
const parts = { venueRedis, database, trading, record, market };
const healthApp = createHealthApp({ ...parts, metrics });
const app = venue === undefined ? healthApp : createOriginApp({ ...parts, checkPass, clock, log, ...venue });
// Thousands of sockets take a core, which an engine in this process needs: beside one they have a process of their own.
const hasEngine = settings.SLUICE_ROLES.includes("engine");
const liveHost =
  venue &&
  (hasEngine
    ? startLiveProcess({ signIn: venue.signIn, log })
    : openLiveHost({ settings, clock, random: systemRandom, log, ...venue }));
const live = venue && liveHost && createLiveServer({ host: liveHost, checkPass, log, ...venue });
const server = await startHttpServer({ app, live, host, port });
const { SLUICE_METRICS_PORT: metricsPort } = settings;
const monitored =
  metricsPort === undefined ? undefined : await startHttpServer({ app: healthApp, host, port: metricsPort });
log.info({ port }, "the origin is listening");

// 11. The control socket for the command line of this machine.
const stores = { database, databaseUrl: settings.DATABASE_URL, redis: venueRedis, redisUrl: settings.VENUE_REDIS_URL };
const audit = (scope: AuditScope) => startAudit(stores, scope).report;
const control =
  venue &&
  (await startControlServer(dataFolder, { ...venue, market, record: { ...stores, nowMs: clock.nowMs, audit } }, log));

releaseMemory();

stopOnSignal(log, [
  { name: "venue store", stop: async () => venueRedis.disconnect() },
  { name: "clock", stop: async () => clock.stop() },
  { name: "database", stop: database.close },
  { name: "record", stop: record.stop },
  { name: "watch", stop: async () => watched.stop() },
  { name: "trading", stop: trading.stop },
  { name: "market", stop: market.stop },
  { name: "accounts", stop: async () => venue?.stop() },
  { name: "prices", stop: async () => prices?.stop() },
  { name: "http", stop: server.stop },
  { name: "metrics", stop: async () => monitored?.stop() },
  { name: "control", stop: async () => control?.stop() },
]);
