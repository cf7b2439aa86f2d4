import { copyFile, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Redis } from "ioredis";
import type { Logger } from "pino";
import { fail, ok, type Result } from "../../shared/result.ts";
import { startRedisServer } from "../../stack/servers/redis-server.ts";
import type { Database } from "../db/database.ts";
import { migrate } from "../db/migrate.ts";
import { migrations } from "../db/migrations.ts";
import { CONSUMERS_KEY, FENCE_KEY, LIFE_KEY, OFFSET_KEY, RESTORING_KEY } from "../journal/keys.ts";
import { newLife } from "../journal/life.ts";
import { type AuditReport, runAudit } from "../record/audit/run-audit.ts";
import { loadTables } from "../record/backup/load-tables.ts";
import { BACKUP_CONSUMER } from "../record/backup/make-backup.ts";
import { checkedManifest } from "../record/backup/manifest.ts";
import { keepLedger, SERVER_ROWS_MAX } from "../record/ledger/keep-ledger.ts";
import { restoreStore } from "../record/sync/restore-store.ts";
import { replies } from "../redis/pipeline.ts";
import { foreignLayout } from "../state/layout.ts";
import { UPGRADING_KEY } from "../upgrade/keys.ts";
import { runSteps } from "../upgrade/run-steps.ts";

type RestoreParts = {
  readonly database: Database;
  /** A connection that may block. */
  readonly redis: Redis;
  readonly folder: string;
  readonly log: Logger;
};

export type RestoredBackup = {
  readonly sequence: number;
  readonly keys: number;
  readonly rows: number;
  readonly audit: AuditReport;
};

const PAGE = 200;
const CATCH_UP_LOOK_MS = 20;

/**
 * Restores a backup into two empty stores. It verifies every checksum before it writes anything, and audits before any
 * engine may trade. If it is interrupted, the mark in Redis and PostgreSQL's transaction prevent the use of partial
 * data.
 */
export async function restoreBackup({
  database,
  redis,
  folder,
  log,
}: RestoreParts): Promise<Result<RestoredBackup, string>> {
  const manifest = await checkedManifest(folder);
  if (!manifest.ok) return manifest;
  if ((await redis.dbsize()) > 0) return fail("The venue's Redis is already in use: restore into an empty one.");
  const foreign = foreignLayout({ kind: "layout", layout: manifest.value.layout });
  if (foreign !== undefined) return fail(foreign);
  const loaded = await loadTables(database, folder, manifest.value);
  if (!loaded.ok) return loaded;
  // A backup of an earlier version is loaded into that version's tables, and both stores are upgraded from there.
  await migrate(database, migrations);
  if (manifest.value.redis === undefined) {
    const restored = await restoreStore(database, redis);
    return restored.ok ? ok({ ...restored.value, keys: await redis.dbsize(), rows: loaded.value }) : restored;
  }
  await redis.set(RESTORING_KEY, manifest.value.sequence);
  const keys = await loadSnapshot(join(folder, manifest.value.redis.name), redis);
  await redis.hdel(CONSUMERS_KEY, BACKUP_CONSUMER);
  // The snapshot's journal may have continued after the backup: live clients must not resume in it.
  await redis.set(LIFE_KEY, newLife());
  await upgradeSnapshot(database, redis);
  const fault = await postTheRest({ database, redis, log });
  if (fault !== undefined) return fail(`The ledger cannot follow the restored journal: ${fault}`);
  const audit = await runAudit({ database, redis, withRestore: true });
  if (!audit.isClean)
    return fail(`The restored stores do not agree: ${audit.lines.flatMap(({ faults }) => faults).join("; ")}.`);
  await redis.del(RESTORING_KEY);
  return ok({ sequence: audit.sequence, keys, rows: loaded.value, audit });
}

/** The mark stops engines meanwhile. The lease in the snapshot is outdated. */
async function upgradeSnapshot(database: Database, redis: Redis): Promise<void> {
  const epoch = Number((await redis.hget(FENCE_KEY, "epoch")) ?? 0) + 1;
  await redis.hset(FENCE_KEY, "epoch", epoch, "until", 0);
  await redis.del(UPGRADING_KEY);
  await runSteps({ redis, database, lease: { epoch, isLost: () => false }, tell: () => {} });
}

/**
 * A Redis of our own loads the snapshot, and its keys are copied one by one: this works for every Redis, wherever it
 * runs.
 */
async function loadSnapshot(path: string, target: Redis): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), "sluice-restore-"));
  try {
    await mkdir(folder, { recursive: true });
    await copyFile(path, join(folder, "dump.rdb"));
    const server = await startRedisServer({ name: "snapshot", folder, fsync: "no" });
    const source = new Redis(server.url);
    try {
      return await copyKeys(source, target);
    } finally {
      source.disconnect();
      await server.stop();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function copyKeys(source: Redis, target: Redis): Promise<number> {
  let cursor = "0";
  let count = 0;
  do {
    const [next, keys] = await source.scan(cursor, "COUNT", PAGE);
    cursor = next;
    const reading = source.pipeline();
    for (const key of keys) reading.dumpBuffer(key).pttl(key);
    const read = await replies(reading);
    const writing = target.pipeline();
    for (const [index, key] of keys.entries()) {
      const [content, ttlMs] = [read[2 * index], read[2 * index + 1]];
      if (Buffer.isBuffer(content)) writing.restore(key, Math.max(0, Number(ttlMs)), content, "REPLACE");
    }
    count += (await replies(writing)).length;
  } while (cursor !== "0");
  return count;
}

/** Redis was slightly ahead of PostgreSQL: the rest of its journal is posted now. */
async function postTheRest({ database, redis, log }: Omit<RestoreParts, "folder">): Promise<string | undefined> {
  const committed = Number((await redis.hget(OFFSET_KEY, "sequence")) ?? 0);
  const reader = redis.duplicate();
  const ledger = keepLedger({ database, redis: reader, log, random: () => 0.5, rowsMax: SERVER_ROWS_MAX });
  try {
    while ((ledger.state().sequence ?? 0) < committed) {
      const { haltedFor, isFailing } = ledger.state();
      if (haltedFor !== undefined) return haltedFor;
      if (isFailing) return "PostgreSQL cannot be written to.";
      await new Promise((resolve) => setTimeout(resolve, CATCH_UP_LOOK_MS));
    }
    return undefined;
  } finally {
    await ledger.stop();
    reader.disconnect();
  }
}
