import type { Logger } from "pino";
import type { Database } from "./database.ts";
import { openEmbeddedDatabase } from "./embedded-database.ts";
import { layOutEmbedded } from "./lay-out-embedded.ts";
import { type Migration, migrate } from "./migrate.ts";
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

/** Open and brought up to this version's tables. */
export async function openDatabase({ url, folder, steps = migrations, log }: DatabaseOptions): Promise<Database> {
  if (url === undefined) await layOutEmbedded(folder);
  const database = await (url === undefined ? openEmbeddedDatabase(folder, { log }) : openServerDatabase(url));
  try {
    await migrate(database, steps);
  } catch (error) {
    await database.close();
    throw error;
  }
  return database;
}
