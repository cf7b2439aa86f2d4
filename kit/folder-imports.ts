import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** One import of a source file, by paths from the root: static, of types, side effects only, or `import()`. */
export type FileImport = { readonly from: string; readonly to: string };

/** How often each folder imports each other one. */
export type FolderMatrix = ReadonlyMap<string, ReadonlyMap<string, number>>;

/** Tracked files and new ones, without those that are ignored or deleted. */
export function listFiles(root: string): readonly string[] {
  const listed = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], {
    cwd: root,
    encoding: "utf8",
  });
  return listed.split("\n").filter((file) => file !== "" && existsSync(join(root, file)));
}

const SOURCE_FILE = /\.(tsx?|mjs|js)$/;
const IMPORT = /(?:\bfrom|\bimport|\bimport\(|\bimport\(\s*new URL\()\s*"(\.[^"]+)"/g;

export function fileImports(root: string, files: readonly string[]): readonly FileImport[] {
  return files
    .filter((file) => SOURCE_FILE.test(file))
    .flatMap((file) =>
      [...readFileSync(join(root, file), "utf8").matchAll(IMPORT)].map((match) => ({
        from: file,
        to: join(dirname(file), match[1] ?? "").replace(/\?.*$/, ""),
      })),
    );
}

/** A folder is the first two parts of a path; files directly in `edge/` or `origin/` are its top. */
export function folderOf(file: string): string {
  return dirname(file).split("/").slice(0, 2).join("/");
}

export function folderMatrix(imports: readonly FileImport[]): FolderMatrix {
  const matrix = new Map<string, Map<string, number>>();
  for (const { from, to } of imports) {
    const row = matrix.get(folderOf(from)) ?? new Map<string, number>();
    matrix.set(folderOf(from), row);
    if (folderOf(from) !== folderOf(to)) row.set(folderOf(to), (row.get(folderOf(to)) ?? 0) + 1);
  }
  return matrix;
}

/**
 * The folders in layers: each imports only folders of earlier groups. A group of several is a cycle: every folder in it
 * imports every other one, directly or not.
 */
export function folderGroups(matrix: FolderMatrix): readonly (readonly string[])[] {
  const reached = new Map([...matrix.keys()].map((folder) => [folder, reachedFrom(folder, matrix)]));
  const isCycle = (one: string, other: string) =>
    (reached.get(one)?.has(other) && reached.get(other)?.has(one)) ?? false;
  const groups: (readonly string[])[] = [];
  const placed = new Set<string>();
  const bySize = [...reached].toSorted(([a, ofA], [b, ofB]) => ofA.size - ofB.size || a.localeCompare(b));
  for (const [folder] of bySize) {
    if (placed.has(folder)) continue;
    const group = [
      folder,
      ...[...reached.keys()].filter((other) => other !== folder && isCycle(folder, other)).toSorted(),
    ];
    for (const member of group) placed.add(member);
    groups.push(group);
  }
  return groups;
}

function reachedFrom(folder: string, matrix: FolderMatrix): ReadonlySet<string> {
  const reached = new Set<string>();
  const next = [folder];
  for (let current = next.pop(); current !== undefined; current = next.pop())
    for (const target of matrix.get(current)?.keys() ?? []) {
      if (reached.has(target)) continue;
      reached.add(target);
      next.push(target);
    }
  return reached;
}
