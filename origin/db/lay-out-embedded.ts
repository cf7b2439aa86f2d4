import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rename, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { PGlite } from "@electric-sql/pglite";

const KEPT_IN = fileURLToPath(new URL("../../node_modules/.cache/", import.meta.url));
/** The file that stands in every folder of PostgreSQL's data. */
const MARK = "PG_VERSION";

/**
 * An embedded database takes seconds to make and a moment to copy, so an empty one is kept beside the packages, and every new folder
 * begins as a copy of it. A copy gets its name when it is whole: a start that is cut short leaves nothing that looks like a database.
 */
export async function layOutEmbedded(folder: string, keptIn = KEPT_IN): Promise<void> {
  if (existsSync(join(folder, MARK))) return;
  try {
    await copyWhole(await emptyDatabase(keptIn), folder);
  } catch {
    // Packages that may not be written to, or something else in the folder: PGlite then makes the database where it is opened.
  }
}

async function emptyDatabase(keptIn: string): Promise<string> {
  const kept = join(keptIn, `pglite-${await installedVersion()}`);
  if (existsSync(join(kept, MARK))) return kept;
  await mkdir(keptIn, { recursive: true });
  const draft = await mkdtemp(`${kept}-`);
  try {
    await (await PGlite.create(draft)).close();
    await rename(draft, kept);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    // Somebody else's may have been ready first.
    if (!existsSync(join(kept, MARK))) throw error;
  }
  return kept;
}

/** Whoever owns the folder owns its draft as well, so that one from a start that was cut short can go. */
async function copyWhole(from: string, folder: string): Promise<void> {
  const draft = `${folder}.new`;
  await mkdir(dirname(folder), { recursive: true, mode: 0o700 });
  await rm(draft, { recursive: true, force: true });
  // Node's own `cp` takes seven times as long for a thousand small files.
  await promisify(execFile)("cp", ["-R", from, draft]);
  try {
    await rename(draft, folder);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    throw error;
  }
}

async function installedVersion(): Promise<string> {
  const entry = createRequire(import.meta.url).resolve("@electric-sql/pglite");
  const { version } = JSON.parse(await readFile(join(dirname(entry), "../package.json"), "utf8")) as { readonly version: string };
  return version;
}
