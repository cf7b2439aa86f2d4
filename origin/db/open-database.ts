import type { Logger } from "pino";
import type { Database } from "./database.ts";
import { openEmbeddedDatabase } from "./embedded-database.ts";
import { layOutEmbedded } from "./lay-out-embedded.ts";
import { appliedSteps, type Migration, migrate } from "./migrate.ts";
import { migrations } from "./migrations.ts";
import { openServerDatabase } from "./server-database.ts";

type DatabaseOptions = {
  readonly url: string | undefined;
  /** Where the embedded database lives when there is no URL. */
  readonly folder: string;
  readonly steps?: readonly Migration[];
  /** Told when the embedded database ends by itself, and when it is open again. */
  readonly log?: Logger;
};

/**
 * Open, with this version's tables. A new database gets them; one of an earlier version is refused with a sentence, because only a start of the
 * venue upgrades (`origin/upgrade/`): it makes a backup first, and brings both stores forward together.
 */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const { steps = migrations } = options;
  const database = await openAsItIs(options);
  try {
    const applied = await appliedSteps(database, steps);
    if (applied > 0 && applied < steps.length) {
      throw new Error(`The database is at version ${applied}, this program needs ${steps.length}: a start of the venue upgrades it.`);
    }
    await migrate(database, steps);
  } catch (error) {
    await database.close();
    throw error;
  }
  return database;
}

/** Open, whatever tables it has. A new embedded one begins with all of them. */
export async function openAsItIs({ url, folder, steps = migrations, log }: DatabaseOptions): Promise<Database> {
  if (url !== undefined) return openServerDatabase(url);
  if (steps === migrations) await layOutEmbedded(folder);
  return openEmbeddedDatabase(folder, { log });
}
