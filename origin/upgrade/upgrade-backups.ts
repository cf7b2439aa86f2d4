import { existsSync } from "node:fs";
import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Redis } from "ioredis";
import { makeBackup } from "../backup/make-backup.ts";
import { MANIFEST_FILE } from "../backup/manifest.ts";
import type { Database } from "../db/database.ts";

/** What is made before an upgrade, in the data folder: the only way back. The oldest goes when a new one is whole. */
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

/** The folder of the backup. Throws with a sentence, and leaves nothing half made. */
export async function backUpBeforeUpgrade({ database, redis, redisUrl, dataFolder, nowMs, onProgress }: BackupParts): Promise<string> {
  const parent = join(dataFolder, "backups");
  const folder = join(parent, `${PREFIX}${new Date(nowMs).toISOString().replaceAll(/[:.]/g, "-")}`);
  try {
    await mkdir(parent, { recursive: true, mode: 0o700 });
    // A start that was killed has left these; only one process makes backups here, and that is this one.
    for (const name of await ours(parent)) if (!existsSync(join(parent, name, MANIFEST_FILE))) await remove(join(parent, name));
    const made = await makeBackup({ database, redis, redisUrl, folder, nowMs, onProgress });
    if (!made.ok) throw new Error(made.reason);
    for (const name of (await ours(parent)).slice(0, -KEPT)) await remove(join(parent, name));
    return folder;
  } catch (error) {
    // What cannot be removed is no backup either: its manifest is missing. The reason that counts is the first one.
    await remove(folder).catch(() => {});
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`The backup before the upgrade could not be made, so nothing was changed: ${why}`, { cause: error });
  }
}

/** Oldest first. */
const ours = async (parent: string) => (await readdir(parent)).filter((name) => name.startsWith(PREFIX)).toSorted();
const remove = (folder: string) => rm(folder, { recursive: true, force: true });
