import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Redis } from "ioredis";
import { makeBackup } from "../backup/make-backup.ts";
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
};

/** The folder of the backup. Throws with a sentence, and leaves nothing half made. */
export async function backUpBeforeUpgrade({ database, redis, redisUrl, dataFolder, nowMs }: BackupParts): Promise<string> {
  const parent = join(dataFolder, "backups");
  const folder = join(parent, `${PREFIX}${new Date(nowMs).toISOString().replaceAll(/[:.]/g, "-")}`);
  try {
    const made = await makeBackup({ database, redis, redisUrl, folder, nowMs });
    if (!made.ok) throw new Error(made.reason);
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`The backup before the upgrade could not be made, so nothing was changed: ${why}`, { cause: error });
  }
  const all = (await readdir(parent)).filter((name) => name.startsWith(PREFIX)).toSorted();
  for (const name of all.slice(0, -KEPT)) await rm(join(parent, name), { recursive: true, force: true });
  return folder;
}
