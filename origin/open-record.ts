import { setTimeout as sleep } from "node:timers/promises";
import type { Redis } from "ioredis";
import type { Logger } from "pino";
import type { Clock } from "../shared/clock.ts";
import type { PartHealth } from "../shared/health.ts";
import { systemRandom } from "../shared/ids.ts";
import { keepArchiving } from "./archive/keep-archiving.ts";
import type { OrderArchive } from "./archive/order-archive.ts";
import { createAuditAge } from "./audit/audit-age.ts";
import { keepAuditing } from "./audit/keep-auditing.ts";
import { AUDIT_CONSUMER } from "./audit/run-audit.ts";
import { startAudit } from "./audit/start-audit.ts";
import { BACKUP_CONSUMER } from "./backup/make-backup.ts";
import type { CommandBody, RefusalCode } from "./commands/commands.ts";
import { CONSUMERS_KEY, OFFSET_KEY, TABLES_KEY } from "./commit/keys.ts";
import type { Database } from "./db/database.ts";
import type { OriginSettings } from "./environment.ts";
import { watchBacklog } from "./ledger/backlog.ts";
import { EMBEDDED_ROWS_MAX, type KeptLedger, keepLedger, SERVER_ROWS_MAX } from "./ledger/keep-ledger.ts";
import { recordMetrics } from "./ledger/record-metrics.ts";
import { startForgetting } from "./projections/forget-orders.ts";
import { type ConnectOptions, connectRedis } from "./redis/connect.ts";
import { watchMemory } from "./redis/watch-memory.ts";
import { keepTables } from "./sync/keep-tables.ts";

/** The permanent record, put together: ledger, write-behind, audit and archive where this process is a worker; the backlog everywhere. */
export type VenueRecord = {
  /** Whether a command like this may be appended now: the record and the store have room for it. */
  readonly refusalOf: (body: CommandBody) => RefusalCode | undefined;
  readonly health: () => readonly PartHealth[];
  /** Prometheus text. */
  readonly metrics: () => string;
  /** The ledger first, then what it has written goes into the tables, as far as the time goes. */
  readonly stop: () => Promise<void>;
};

type RecordParts = {
  readonly settings: Pick<
    OriginSettings,
    | "SLUICE_ROLES"
    | "SLUICE_SYNC_SECONDS"
    | "SLUICE_AUDIT_MINUTES"
    | "SLUICE_BACKLOG_MB"
    | "SLUICE_ARCHIVE_DAYS"
    | "VENUE_REDIS_URL"
    | "DATABASE_URL"
  >;
  readonly database: Database;
  readonly archive: OrderArchive;
  readonly clock: Clock;
  readonly log: Logger;
  /** Tests forget sooner. */
  readonly kept?: { readonly keptMs: number; readonly keptMax?: number };
};

const MIB = 1024 * 1024;
/** Whoever stops us insists with SIGKILL after a second; what is left then is written at the next start. */
const FLUSH_MS_MAX = 300;
const DRAIN_MS_MAX = 200;
const DRAIN_LOOK_MS = 5;

export function openRecord({ settings, database, archive, clock, log, kept }: RecordParts): VenueRecord {
  const connections: Redis[] = [];
  const open = (options?: ConnectOptions) => {
    const redis = connectRedis(settings.VENUE_REDIS_URL, log, options);
    connections.push(redis);
    return redis;
  };
  const redis = open();
  const rowsMax = settings.DATABASE_URL === undefined ? EMBEDDED_ROWS_MAX : SERVER_ROWS_MAX;
  const isWorker = settings.SLUICE_ROLES.includes("worker");
  // From the first moment on, so that nothing is trimmed before the ledger has come to it for the first time.
  // A backup or an audit that was under way when its process died must not keep the journal for ever.
  redis.once(
    "ready",
    () =>
      void redis
        .multi()
        .hsetnx(CONSUMERS_KEY, "ledger", "0")
        .hdel(CONSUMERS_KEY, BACKUP_CONSUMER, AUDIT_CONSUMER)
        .exec()
        .catch(() => {}),
  );

  const reader = isWorker ? open() : redis;
  const ledger = isWorker ? keepLedger({ database, redis: reader, log, clock, random: fraction, rowsMax }) : undefined;
  // What does not arrive is told again with the next look.
  const onPosition = (sequence: number) => void redis.set(TABLES_KEY, sequence).catch(() => {});
  const intervalMs = settings.SLUICE_SYNC_SECONDS * 1_000;
  const tables = isWorker ? keepTables({ database, log, intervalMs, rowsMax, onPosition }) : undefined;
  const memory = watchMemory({ redis, log, containerBytes: containerBytes(settings.VENUE_REDIS_URL) });
  const isTight = () => memory.current().level !== "ok";
  const forgetting = isWorker
    ? startForgetting({ redis, writer: open({ isRaw: true }), nowMs: clock.nowMs, log, isTight, ...kept })
    : undefined;
  const auditStores = { database, databaseUrl: settings.DATABASE_URL, redis, redisUrl: settings.VENUE_REDIS_URL };
  const auditMs = settings.SLUICE_AUDIT_MINUTES * 60_000;
  const audits =
    isWorker && auditMs > 0 ? keepAuditing({ start: () => startAudit(auditStores, "sinceLast"), log, intervalMs: auditMs }) : undefined;
  const auditAge = audits && createAuditAge({ last: audits.last, nowMs: clock.nowMs });
  const archiving = isWorker ? keepArchiving({ database, archive, clock, log, days: settings.SLUICE_ARCHIVE_DAYS }) : undefined;
  const haltedFor = () => ledger?.state().haltedFor;
  const backlog = watchBacklog({ redis, clock, log, bytesMax: settings.SLUICE_BACKLOG_MB * MIB, haltedFor });

  return {
    refusalOf: (body) => memory.refusalOf(body) ?? backlog.refusalOf(body),
    health: () => [backlog.health(), memory.health()],
    metrics: () =>
      recordMetrics({
        ...{ backlog: backlog.current(), ledger: ledger?.state(), tables: tables?.state() },
        ...{ audit: audits?.last(), auditAgeSeconds: auditAge?.() },
        ...{ endedOrders: forgetting?.held(), memory: memory.current() },
      }),
    stop: async () => {
      backlog.stop();
      memory.stop();
      await audits?.stop();
      archiving?.stop();
      await forgetting?.stop();
      if (ledger !== undefined) await untilPosted(redis, ledger);
      const stopped = ledger?.stop();
      // It may be waiting for entries that nobody will write.
      reader.disconnect();
      await stopped;
      await tables?.stop(FLUSH_MS_MAX);
      for (const connection of connections) connection.disconnect();
    },
  };
}

/** What was committed before the end is posted before the end, as far as the time goes. */
async function untilPosted(redis: Redis, ledger: KeptLedger): Promise<void> {
  const deadline = performance.now() + DRAIN_MS_MAX;
  try {
    const committed = Number((await redis.hget(OFFSET_KEY, "sequence")) ?? 0);
    while ((ledger.state().sequence ?? 0) < committed && performance.now() < deadline) await sleep(DRAIN_LOOK_MS);
  } catch {
    // Redis is away: the next start goes on from there.
  }
}

const LOOPBACK: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "[::1]"]);

/** Where Redis runs beside us it shares our bound; what binds one elsewhere it says itself. */
function containerBytes(redisUrl: string): number {
  return LOOPBACK.has(new URL(redisUrl).hostname) ? process.constrainedMemory() : 0;
}

/** At least 0, below 1. */
function fraction(): number {
  return new DataView(systemRandom(new Uint8Array(4)).buffer).getUint32(0) / 2 ** 32;
}
