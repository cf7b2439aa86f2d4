import { fileImports, folderGroups, folderMatrix, folderOf, listFiles } from "./folder-imports.ts";

/**
 * `npm run tree`: every folder with its files and the folders that it imports, the lowest layer first. Tests are left
 * out.
 */
const root = process.argv[2] ?? process.cwd();
const files = listFiles(root).filter((file) => /\.(tsx?|mjs|js|lua|sql)$/.test(file) && !file.endsWith(".test.ts"));
const matrix = folderMatrix(fileImports(root, files));
const groups = folderGroups(matrix);

const lines = groups.flat().map((folder) => {
  const imports = [...(matrix.get(folder) ?? [])]
    .toSorted(([, a], [, b]) => b - a)
    .map(([target, count]) => `${target} ${count}`);
  const count = files.filter((file) => folderOf(file) === folder).length;
  return `${folder.padEnd(20)} ${String(count).padStart(3)} files  ${imports.join(", ")}`.trimEnd();
});
const cycles = groups
  .filter((group) => group.length > 1)
  .map((group) => `Import cycle of ${group.length} folders: ${group.join(" ")}`);
process.stdout.write(
  `${[...lines, "", ...(cycles.length === 0 ? ["No import cycle between folders."] : cycles)].join("\n")}\n`,
);
