import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

/**
 * Builds the code that runs in browsers. Vite makes one file of each entry, and its text becomes a TypeScript module in
 * `edge/built/` or `origin/built/`, because a module with a string in it is what every pipeline that reads the edge understands without a
 * loader: esbuild, wrangler, vitest and Node itself.
 *
 * Every start of an edge builds first; an entry whose inputs are unchanged is not built again.
 */
export type Face = {
  /** The module in its folder, without its ending. */
  readonly name: string;
  /** Where it is used; `edge/built` by default. */
  readonly folder?: string;
  readonly entry: string;
  /** The constant that holds the script. */
  readonly script: string;
  /** The constant that holds what the entry imports as CSS. */
  readonly style?: string;
};

const FACES: readonly Face[] = [
  { name: "room-script", entry: "edge/room/client/main.ts", script: "ROOM_SCRIPT", style: "ROOM_STYLE" },
  { name: "solver", entry: "edge/room/client/solver.ts", script: "SOLVER_SCRIPT" },
  {
    name: "console",
    entry: "edge/operators/console/client/main.tsx",
    script: "CONSOLE_SCRIPT",
    style: "CONSOLE_STYLE",
  },
  {
    name: "price-board",
    folder: "origin/built",
    entry: "origin/prices/page/client/main.ts",
    script: "BOARD_SCRIPT",
    style: "BOARD_STYLE",
  },
  {
    name: "price-chart",
    folder: "origin/built",
    entry: "origin/prices/page/client/chart.ts",
    script: "CHART_SCRIPT",
  },
  {
    name: "price-offline",
    folder: "origin/built",
    entry: "origin/prices/page/client/offline.ts",
    script: "OFFLINE_SCRIPT",
  },
];

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const BUILT_FOLDER = "edge/built";
/** The versions of what a face is built with, and of. */
const LOCKFILE = "package-lock.json";
/** The builder's version: this file as it runs, which may differ from the file on disk after a change. */
const BUILDER_HASH = hashOf(readFileSync(fileURLToPath(import.meta.url), "utf8"));
/** Browsers since 2022. */
const TARGET = "es2022";
/** Vite's own note at the end of a style sheet. */
const VITE_MARK = /\/\*\$vite\$:\d+\*\/\s*$/;

/** Returns the names of those that were rebuilt. */
export async function buildFaces(root = ROOT, faces = FACES): Promise<readonly string[]> {
  const stale: Face[] = [];
  for (const face of faces) if (!(await isFresh(root, face))) stale.push(face);
  for (const face of stale) await buildFace(root, face);
  return stale.map(({ name }) => name);
}

/** The first line of a module has the hashes of its inputs and of the builder. */
const STAMP = /^\/\/ (\{.*\})\n/;
type Stamp = { readonly builder: string; readonly inputs: Readonly<Record<string, string>> };

async function isFresh(root: string, face: Face): Promise<boolean> {
  try {
    const [, json = ""] = STAMP.exec(await readFile(moduleFile(root, face), "utf8")) ?? [];
    const { builder, inputs } = JSON.parse(json) as Stamp;
    for (const [file, hash] of Object.entries(inputs)) if ((await hashOfFile(root, file)) !== hash) return false;
    return builder === BUILDER_HASH;
  } catch {
    // Never built, an input was deleted, or the file is truncated: rebuild.
    return false;
  }
}

async function hashOfFile(root: string, file: string): Promise<string> {
  return hashOf(await readFile(join(root, file), "utf8"));
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("base64url");
}

async function buildFace(root: string, face: Face): Promise<void> {
  const { entry, script, style } = face;
  // Vite takes longer to load than everything else here, and is needed only when something has changed.
  const { build } = await import("vite");
  const inputs = new Map<string, string>([[LOCKFILE, await hashOfFile(root, LOCKFILE)]]);
  const output = await build({
    configFile: false,
    root,
    logLevel: "silent",
    oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
    plugins: [{ name: "list-inputs", transform: { order: "pre", handler: noteInput } }],
    build: {
      write: false,
      target: TARGET,
      cssTarget: TARGET,
      modulePreload: false,
      // Otherwise the script would insert the style itself, which a strict policy forbids.
      cssCodeSplit: false,
      rolldownOptions: { input: join(root, entry), output: { format: "iife", codeSplitting: false } },
    },
  });

  /** Hashes the text that was read, even if the file is saved during the build. */
  function noteInput(code: string, id: string): undefined {
    if (isOwnSource(root, id)) inputs.set(relative(root, id), hashOf(code));
  }

  if (Array.isArray(output) || !("output" in output)) throw new Error(`Vite made more than one build of ${entry}`);
  const files = output.output;
  const chunk = files.find((file) => file.type === "chunk");
  const sheet = files.find((file) => file.type === "asset" && file.fileName.endsWith(".css"));
  const constants = [constant(script, chunk?.type === "chunk" ? chunk.code : "")];
  if (style !== undefined)
    constants.push(constant(style, sheet?.type === "asset" ? String(sheet.source).replace(VITE_MARK, "") : ""));
  const stamp: Stamp = { builder: BUILDER_HASH, inputs: Object.fromEntries(inputs) };
  await writeModule(moduleFile(root, face), `// ${JSON.stringify(stamp)}\n${constants.join("")}`);
}

/** The lockfile represents the packages. */
function isOwnSource(root: string, id: string): boolean {
  return id.startsWith(root) && !id.includes("/node_modules/") && !id.includes("?");
}

function constant(name: string, text: string): string {
  if (text === "") throw new Error(`The build gave nothing for ${name}`);
  return `export const ${name}: string = ${JSON.stringify(text.trim())};\n`;
}

function moduleFile(root: string, { name, folder = BUILT_FOLDER }: Face): string {
  return join(root, folder, `${name}.ts`);
}

/** Two stacks may build at once: each reader sees a whole file. */
async function writeModule(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  const draft = `${file}.${process.pid}`;
  await writeFile(draft, text);
  await rename(draft, file);
}
