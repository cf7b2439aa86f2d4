import { link, mkdir, readFile, rm, rmdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { systemClock } from "../../shared/clock.ts";

/** Two stacks on one data folder would write the same files: the second is told so. */
export type FolderLock = { readonly release: () => Promise<void> };

const LOCK_FILE = "stack.pid";
/** Removing a leftover takes a moment; whoever takes longer was killed meanwhile. */
const REMOVAL_MS_MAX = 10_000;

export async function lockFolder(folder: string): Promise<FolderLock> {
  const file = join(folder, LOCK_FILE);
  if (!(await tryCreate(file))) {
    const isRemoved = await removeLeftover(file, folder);
    if (!isRemoved || !(await tryCreate(file))) throw new Error(`Another start took ${folder} at this moment. Try again.`);
  }
  return { release: () => rm(file, { force: true }) };
}

/** The pid stands in the file from its first moment on: nobody can find it empty and take it for a leftover. */
async function tryCreate(file: string): Promise<boolean> {
  const draft = `${file}.${process.pid}`;
  await writeFile(draft, String(process.pid), { mode: 0o600 });
  try {
    return await isFirst(() => link(draft, file));
  } finally {
    await rm(draft, { force: true });
  }
}

/**
 * One start at a time looks and removes: of two that look at the same leftover, the slower one would remove what the faster
 * one has put in its place. False when another is at it.
 */
async function removeLeftover(file: string, folder: string): Promise<boolean> {
  const guard = `${file}.removal`;
  const guardedAtMs = (await stat(guard).catch(() => undefined))?.mtimeMs ?? Number.POSITIVE_INFINITY;
  if (systemClock.nowMs() - guardedAtMs > REMOVAL_MS_MAX) await rmdir(guard);
  if (!(await isFirst(() => mkdir(guard)))) return false;
  try {
    const holder = await readFile(file, "utf8").catch(() => undefined);
    // Removed before us: what stands there from now on is somebody's.
    if (holder === undefined) return true;
    const pid = Number(holder);
    if (await isOurs(pid))
      throw new Error(`Sluice already runs on ${folder} (process ${pid}). Stop it, or set SLUICE_DATA_DIR to another folder.`);
    await rm(file, { force: true });
    return true;
  } finally {
    await rmdir(guard);
  }
}

async function isFirst(create: () => Promise<unknown>): Promise<boolean> {
  try {
    await create();
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  }
}

/** A pid may have been given to another program since: on Linux the command line tells. */
async function isOurs(pid: number): Promise<boolean> {
  if (!Number.isInteger(pid) || pid <= 0 || pid === process.pid) return false;
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  if (process.platform !== "linux") return true;
  const commandLine = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
  return commandLine.includes("stack");
}
