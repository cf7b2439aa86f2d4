import { mkdir, readdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Redis } from "ioredis";
import { fail, ok, type Result } from "../../../shared/result.ts";
import type { Database } from "../../db/database.ts";
import { CONSUMERS_KEY } from "../../journal/keys.ts";
import { LAYOUT, readLayout } from "../../state/layout.ts";
import { dumpTables } from "./dump-tables.ts";
import { fetchSnapshot, SnapshotRefused } from "./fetch-snapshot.ts";
import { type BackupFile, digestOfFile, MANIFEST_FILE, MANIFEST_FORMAT, type Manifest } from "./manifest.ts";

type BackupParts = {
  readonly database: Database;
  readonly redis: Redis;
  readonly redisUrl: string;
  readonly folder: string;
  readonly nowMs: number;
  readonly onProgress?: ((progress: string) => void) | undefined;
};

const SNAPSHOT_FILE = "redis.rdb";
/**
 * While a backup is made, it counts as a consumer of the journal: nothing is trimmed that PostgreSQL's dump does not
 * hold.
 */
export const BACKUP_CONSUMER = "backup";

/**
 * Backs up both stores while trading continues: PostgreSQL as of one journal entry, then Redis, which holds that entry
 * and all later ones. The manifest with the checksums is written last.
 */
export async function makeBackup({
  database,
  redis,
  redisUrl,
  folder,
  nowMs,
  onProgress = () => {},
}: BackupParts): Promise<Result<Manifest, string>> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if ((await readdir(folder)).length > 0) return fail(`${folder} is not empty: a backup needs an empty folder.`);
  await redis.hset(CONSUMERS_KEY, BACKUP_CONSUMER, (await redis.hget(CONSUMERS_KEY, "ledger")) ?? "0");
  try {
    const dump = await dumpTables(database, folder, onProgress);
    onProgress("Redis");
    const snapshot = await saveSnapshot(redisUrl, folder);
    const found = await readLayout(redis);
    const layout = found.kind === "layout" ? found.layout : LAYOUT;
    const manifest: Manifest = {
      format: MANIFEST_FORMAT,
      layout,
      madeAt: new Date(nowMs).toISOString(),
      ...dump,
      ...(snapshot && { redis: snapshot }),
    };
    await writeFile(join(folder, MANIFEST_FILE), `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600 });
    return ok(manifest);
  } finally {
    await redis.hdel(CONSUMERS_KEY, BACKUP_CONSUMER);
  }
}

/** A hosted Redis may refuse it; PostgreSQL is sufficient then. */
async function saveSnapshot(redisUrl: string, folder: string): Promise<BackupFile | undefined> {
  const path = join(folder, SNAPSHOT_FILE);
  try {
    await fetchSnapshot(redisUrl, path);
  } catch (error) {
    if (error instanceof SnapshotRefused) return undefined;
    throw error;
  }
  return { name: SNAPSHOT_FILE, bytes: (await stat(path)).size, sha256: await digestOfFile(path) };
}
