import { setTimeout as sleep } from "node:timers/promises";
import type { Redis } from "ioredis";
import type { Logger } from "pino";
import type { Clock } from "../shared/clock.ts";
import type { PartHealth } from "../shared/http/health.ts";
import { systemRandom } from "../shared/ids.ts";
import type { RefusalCode } from "./commit/submit/commands.ts";
import { watchMemory } from "./commit/watch-memory.ts";
import type { Database } from "./db/database.ts";
import type { CommandBody } from "./engine/command.ts";
import type { OriginSettings } from "./environment.ts";
import { CONSUMERS_KEY, OFFSET_KEY, TABLES_KEY } from "./journal/keys.ts";
import { MARKET_KEY } from "./market/keys.ts";
import { keepArchiving } from "./record/archive/keep-archiving.ts";
import type { OrderArchive } from "./record/archive/order-archive.ts";
import { keepAuditing } from "./record/audit/keep-auditing.ts";
import { AUDIT_CONSUMER, type AuditReport } from "./record/audit/run-audit.ts";
import { startAudit } from "./record/audit/start-audit.ts";
import { BACKUP_CONSUMER } from "./record/backup/make-backup.ts";
import { watchBacklog } from "./record/ledger/backlog.ts";
import { EMBEDDED_ROWS_MAX, type KeptLedger, keepLedger, SERVER_ROWS_MAX } from "./record/ledger/keep-ledger.ts";
import { recordMetrics } from "./record/ledger/record-metrics.ts";
import { keepTables } from "./record/sync/keep-tables.ts";
import { type ConnectOptions, connectRedis } from "./redis/connect.ts";
import { startForgetting } from "./state/forget-orders.ts";

/**
 * Opens the permanent record: ledger, write-behind, audit and archive in a worker process; the backlog in every
 * process.
 */
export type VenueRecord = {
  /** Whether a command of this kind may be appended now: the record and the store have space for it. */
  readonly refusalOf: (body: CommandBody) => RefusalCode | undefined;
  readonly health: () => readonly PartHealth[];
  /** Prometheus text. */
  readonly metrics: () => string;
  /** Stops the ledger first, then writes its last entries to the tables, as far as the time allows. */
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
  /** Tests delete ended orders sooner. */
  readonly kept?: { readonly keptMs: number; readonly keptMax?: number };
};

const MIB = 1024 * 1024;
/** A supervisor may send SIGKILL after a second; the next start writes the rest. */
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
  // Registered from the start, so that nothing is trimmed before the ledger has read it for the first time. A backup or
  // an audit whose process died must not hold the journal for ever.
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
  const ledger = isWorker ? keepLedger({ database, redis: reader, log, random: fraction, rowsMax }) : undefined;
  // A lost report is repeated with the next look.
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
    isWorker && auditMs > 0
      ? keepAuditing({
          start: () => startAudit(auditStores, "sinceLast"),
          ...{ log, intervalMs: auditMs, onReport: (report) => repairMarket(redis, report) },
        })
      : undefined;
  const archiving = isWorker
    ? keepArchiving({ database, archive, clock, log, days: settings.SLUICE_ARCHIVE_DAYS })
    : undefined;
  const haltedFor = () => ledger?.state().haltedFor;
  const backlog = watchBacklog({ redis, clock, log, bytesMax: settings.SLUICE_BACKLOG_MB * MIB, haltedFor });

  return {
    refusalOf: (body) => memory.refusalOf(body) ?? backlog.refusalOf(body),
    health: () => [backlog.health(), memory.health()],
    metrics: () =>
      recordMetrics({
        ...{ backlog: backlog.current(), ledger: ledger?.state(), tables: tables?.state() },
        ...{ audit: audits?.last(), auditAgeSeconds: audits?.ageSeconds() },
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
      // It may be waiting for entries that will never come.
      reader.disconnect();
      await stopped;
      await tables?.stop(FLUSH_MS_MAX);
      for (const connection of connections) connection.disconnect();
    },
  };
}

/** Market data that differs from the ledger is made again from it; the projection looks for the mark. */
async function repairMarket(redis: Redis, { lines }: AuditReport): Promise<void> {
  const hasFaults = lines.some(({ check, faultCount }) => MARKET_CHECKS.has(check) && faultCount > 0);
  if (hasFaults) await redis.hset(MARKET_KEY, "rebuilding", "1");
}

const MARKET_CHECKS: ReadonlySet<string> = new Set(["candles", "summaries", "positions"]);

/** Waits until everything that was committed is posted, as far as the time allows. */
async function untilPosted(redis: Redis, ledger: KeptLedger): Promise<void> {
  const deadline = performance.now() + DRAIN_MS_MAX;
  try {
    const committed = Number((await redis.hget(OFFSET_KEY, "sequence")) ?? 0);
    while ((ledger.state().sequence ?? 0) < committed && performance.now() < deadline) await sleep(DRAIN_LOOK_MS);
  } catch {
    // Redis is unavailable: the next start continues from there.
  }
}

const LOOPBACK: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "[::1]"]);

/** A Redis on this machine shares our memory limit; any other reports its own. */
function containerBytes(redisUrl: string): number {
  return LOOPBACK.has(new URL(redisUrl).hostname) ? process.constrainedMemory() : 0;
}

/** At least 0, below 1. */
function fraction(): number {
  return new DataView(systemRandom(new Uint8Array(4)).buffer).getUint32(0) / 2 ** 32;
}
