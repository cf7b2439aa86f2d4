import { fail, ok, type Result } from "../../../shared/result.ts";
import type { Database } from "../../db/database.ts";
import { appliedSteps } from "../../db/migrate.ts";
import { migrations } from "../../db/migrations.ts";
import { openAsItIs, openDatabase } from "../../db/open-database.ts";
import { readManifest } from "./manifest.ts";

type Place = { readonly url: string | undefined; readonly folder: string };

/** Opens a database with the tables that the backup was made from. The restore upgrades them afterwards. */
export async function openForBackup(place: Place, folder: string): Promise<Result<Database, string>> {
  const manifest = await readManifest(folder);
  if (!manifest.ok) return manifest;
  const count = manifest.value.schema.length;
  if (count === migrations.length) return ok(await openDatabase(place));
  if (count > migrations.length)
    return fail(`The backup has version ${count}, this program knows ${migrations.length}: use the newer program.`);
  const steps = migrations.slice(0, count);
  const database = await openAsItIs({ ...place, steps });
  const applied = await appliedSteps(database, migrations);
  await database.close();
  if (applied > count) {
    return fail(
      "The backup was made by an earlier version: restore it into a database that this program has not opened yet (a new data folder, or CREATE DATABASE).",
    );
  }
  return ok(await openDatabase({ ...place, steps }));
}
