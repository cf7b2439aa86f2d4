import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rename, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { openEmbeddedDatabase } from "./embedded-database.ts";
import { migrate } from "./migrate.ts";
import { migrations } from "./migrations.ts";

const KEPT_IN = fileURLToPath(new URL("../../node_modules/.cache/", import.meta.url));
/** Every data folder of PostgreSQL has this file. */
const MARK = "PG_VERSION";

/**
 * Creating an embedded database takes seconds, copying one takes a moment. One with empty tables is kept beside the
 * packages, and every new data folder starts as a copy of it. A copy is renamed when it is complete, so an interrupted
 * start leaves nothing that looks like a database.
 */
export async function layOutEmbedded(folder: string, keptIn = KEPT_IN): Promise<void> {
  if (existsSync(join(folder, MARK))) return;
  try {
    await copyWhole(await emptyTables(keptIn), folder);
  } catch (error) {
    if (!hasNoPlace(error)) throw error;
  }
}

/** The packages are read-only, or the folder is not empty: the database is then created where it is opened. */
function hasNoPlace(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return ["EACCES", "EPERM", "EROFS", "ENOTDIR", "EEXIST", "ENOTEMPTY"].includes(code);
}

async function emptyTables(keptIn: string): Promise<string> {
  const kept = join(keptIn, `pglite-${await madeOf()}`);
  if (existsSync(join(kept, MARK))) return kept;
  await mkdir(keptIn, { recursive: true });
  const draft = await mkdtemp(`${kept}-`);
  try {
    const database = await openEmbeddedDatabase(draft);
    await migrate(database, migrations);
    await database.close();
    await rename(draft, kept);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    // Another process may have finished its template first.
    if (!existsSync(join(kept, MARK))) throw error;
  }
  return kept;
}

/** The owner of the folder also owns its draft, so a draft of an interrupted start can be removed. */
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

/** Identifies the empty tables of one version. */
async function madeOf(): Promise<string> {
  const entry = createRequire(import.meta.url).resolve("@electric-sql/pglite");
  const { version } = JSON.parse(await readFile(join(dirname(entry), "../package.json"), "utf8")) as {
    readonly version: string;
  };
  const steps = createHash("sha256").update(JSON.stringify(migrations)).digest("hex").slice(0, 16);
  return `${version}-${steps}`;
}
