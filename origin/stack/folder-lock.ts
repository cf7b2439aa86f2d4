import { open, readFile, rm } from "node:fs/promises";
import { join } from "node:path";

/** Two stacks on one data folder would write the same files: the second is told so. */
export type FolderLock = { readonly release: () => Promise<void> };

const LOCK_FILE = "stack.pid";

export async function lockFolder(folder: string): Promise<FolderLock> {
  const file = join(folder, LOCK_FILE);
  if (!(await tryCreate(file))) {
    const pid = Number(await readFile(file, "utf8"));
    if (await isOurs(pid))
      throw new Error(`Sluice already runs on ${folder} (process ${pid}). Stop it, or set SLUICE_DATA_DIR to another folder.`);
    await rm(file, { force: true });
    if (!(await tryCreate(file))) throw new Error(`Another start took ${folder} at this moment. Try again.`);
  }
  return { release: () => rm(file, { force: true }) };
}

async function tryCreate(file: string): Promise<boolean> {
  try {
    const handle = await open(file, "wx", 0o600);
    await handle.writeFile(String(process.pid));
    await handle.close();
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
