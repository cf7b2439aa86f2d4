import { link, mkdir, readFile, rm, rmdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { systemClock } from "../../shared/clock.ts";

/** Two stacks on one data folder would write the same files: the second one is refused. */
export type FolderLock = { readonly release: () => Promise<void> };

const LOCK_FILE = "stack.pid";
/** Removing a stale lock takes a moment; a process that takes longer was killed. */
const REMOVAL_MS_MAX = 10_000;

export async function lockFolder(folder: string): Promise<FolderLock> {
  const file = join(folder, LOCK_FILE);
  if (!(await tryCreate(file))) {
    const isRemoved = await removeLeftover(file, folder);
    if (!isRemoved || !(await tryCreate(file)))
      throw new Error(`Another start locked ${folder} at the same time. Try again.`);
  }
  return { release: () => rm(file, { force: true }) };
}

/** The file has the pid from the moment it exists: no other start can find it empty and take it for stale. */
async function tryCreate(file: string): Promise<boolean> {
  const draft = `${file}.${process.pid}`;
  await writeFile(draft, `${process.pid} ${await startedAt(process.pid)}`, { mode: 0o600 });
  try {
    return await isFirst(() => link(draft, file));
  } finally {
    await rm(draft, { force: true });
  }
}

/**
 * One start at a time checks and removes: of two that see the same stale lock, the slower one would remove the new lock
 * of the faster one. False when another start is doing it.
 */
async function removeLeftover(file: string, folder: string): Promise<boolean> {
  const guard = `${file}.removal`;
  const guardedAtMs = (await stat(guard).catch(() => undefined))?.mtimeMs ?? Number.POSITIVE_INFINITY;
  if (systemClock.nowMs() - guardedAtMs > REMOVAL_MS_MAX) await rmdir(guard);
  if (!(await isFirst(() => mkdir(guard)))) return false;
  try {
    const holder = await readFile(file, "utf8").catch(() => undefined);
    // Removed by another start: a lock that appears from now on is in use.
    if (holder === undefined) return true;
    const [pid, started] = holder.split(" ");
    if (await isRunning(Number(pid), started))
      throw new Error(
        `Sluice already runs on ${folder} (process ${pid}). Stop it, or set SLUICE_DATA_DIR to another folder.`,
      );
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

/** The pid may belong to another process by now: its start time shows it, where the system has one. */
async function isRunning(pid: number, started: string | undefined): Promise<boolean> {
  if (!Number.isInteger(pid) || pid <= 0 || pid === process.pid) return false;
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  return process.platform !== "linux" || started === (await startedAt(pid));
}

/** In ticks since the machine started; empty where there is no `/proc`. */
async function startedAt(pid: number): Promise<string> {
  const text = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  // The name comes before, in parentheses, and may contain spaces.
  return text.slice(text.lastIndexOf(")") + 1).split(" ")[20] ?? "";
}
