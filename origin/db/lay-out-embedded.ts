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
/** The file that stands in every folder of PostgreSQL's data. */
const MARK = "PG_VERSION";

/**
 * An embedded database takes seconds to make and a moment to copy, so one with empty tables is kept beside the packages, and every new
 * folder begins as a copy of it. A copy gets its name when it is whole: a start that is cut short leaves nothing that looks like a database.
 */
export async function layOutEmbedded(folder: string, keptIn = KEPT_IN): Promise<void> {
  if (existsSync(join(folder, MARK))) return;
  try {
    await copyWhole(await emptyTables(keptIn), folder);
  } catch (error) {
    if (!hasNoPlace(error)) throw error;
  }
}

/** Packages that may not be written to, or something else in the folder: the database is then made where it is opened. */
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

/** What makes one version's empty tables differ from another's. */
async function madeOf(): Promise<string> {
  const entry = createRequire(import.meta.url).resolve("@electric-sql/pglite");
  const { version } = JSON.parse(await readFile(join(dirname(entry), "../package.json"), "utf8")) as { readonly version: string };
  const steps = createHash("sha256").update(JSON.stringify(migrations)).digest("hex").slice(0, 16);
  return `${version}-${steps}`;
}
