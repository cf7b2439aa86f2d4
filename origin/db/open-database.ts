import type { Logger } from "pino";
import type { Database } from "./database.ts";
import { openEmbeddedDatabase } from "./embedded-database.ts";
import { layOutEmbedded } from "./lay-out-embedded.ts";
import { appliedSteps, type Migration, migrate } from "./migrate.ts";
import { migrations } from "./migrations.ts";
import { openServerDatabase } from "./server-database.ts";

type DatabaseOptions = {
  readonly url: string | undefined;
  /** The folder of the embedded database when there is no URL. */
  readonly folder: string;
  readonly steps?: readonly Migration[];
  /** Logs when the embedded database ends unexpectedly and when it is open again. */
  readonly log?: Logger;
};

/**
 * Opens the database with the tables of this version. A new database gets them. One of an earlier version is refused,
 * because only a start of the venue upgrades (`origin/upgrade/`): it makes a backup first and upgrades both stores
 * together.
 */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const { steps = migrations } = options;
  const database = await openAsItIs(options);
  try {
    const applied = await appliedSteps(database, steps);
    if (applied > 0 && applied < steps.length) {
      throw new Error(
        `The database is at version ${applied}, this program needs ${steps.length}: start the venue to upgrade it.`,
      );
    }
    await migrate(database, steps);
  } catch (error) {
    await database.close();
    throw error;
  }
  return database;
}

/** Opens the database whatever tables it has. A new embedded one starts with all of them. */
export async function openAsItIs({ url, folder, steps = migrations, log }: DatabaseOptions): Promise<Database> {
  if (url !== undefined) return openServerDatabase(url);
  if (steps === migrations) await layOutEmbedded(folder);
  return openEmbeddedDatabase(folder, { log });
}
