import { existsSync } from "node:fs";
import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Redis } from "ioredis";
import type { Database } from "../db/database.ts";
import { makeBackup } from "../record/backup/make-backup.ts";
import { MANIFEST_FILE } from "../record/backup/manifest.ts";

/**
 * Backups made before an upgrade, in the data folder: the only way back. The oldest is removed once a new one is
 * complete.
 */
const KEPT = 3;
const PREFIX = "before-upgrade-";

type BackupParts = {
  readonly database: Database;
  readonly redis: Redis;
  readonly redisUrl: string;
  readonly dataFolder: string;
  readonly nowMs: number;
  readonly onProgress: (progress: string) => void;
};

/** Returns the folder of the backup. Throws the reason, and leaves no incomplete backup. */
export async function backUpBeforeUpgrade({
  database,
  redis,
  redisUrl,
  dataFolder,
  nowMs,
  onProgress,
}: BackupParts): Promise<string> {
  const parent = join(dataFolder, "backups");
  const folder = join(parent, `${PREFIX}${new Date(nowMs).toISOString().replaceAll(/[:.]/g, "-")}`);
  try {
    await mkdir(parent, { recursive: true, mode: 0o700 });
    // Incomplete backups of a killed start; only this process makes backups here.
    for (const name of await ours(parent))
      if (!existsSync(join(parent, name, MANIFEST_FILE))) await remove(join(parent, name));
    const made = await makeBackup({ database, redis, redisUrl, folder, nowMs, onProgress });
    if (!made.ok) throw new Error(made.reason);
    for (const name of (await ours(parent)).slice(0, -KEPT)) await remove(join(parent, name));
    return folder;
  } catch (error) {
    // A leftover without a manifest is not a backup, so a failure to remove it is ignored; the first error is the
    // reason to report.
    await remove(folder).catch(() => {});
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`The backup before the upgrade could not be made, so nothing was changed: ${why}`, {
      cause: error,
    });
  }
}

/** Oldest first. */
const ours = async (parent: string) => (await readdir(parent)).filter((name) => name.startsWith(PREFIX)).toSorted();
const remove = (folder: string) => rm(folder, { recursive: true, force: true });
