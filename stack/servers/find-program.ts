import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

/** The first of these names that is on the PATH and may be run, as an absolute path. */
export function findProgram(...names: readonly string[]): string | undefined {
  const folders = (process.env["PATH"] ?? "").split(delimiter).filter((folder) => folder !== "");
  const candidates = names.flatMap((name) => folders.map((folder) => join(folder, name)));
  return candidates.find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    // Missing or not executable: both mean "look further".
    return false;
  }
}
