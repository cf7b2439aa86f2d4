import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";

export const SOURCE_TEXT_FILE = /\.(lua|sql)$/;

/** Redis knows no modules: a Lua script names the pieces that it needs, each on a line of its own. */
const INCLUDE = /^-- @include "([^"]+)"\n/gm;

/**
 * The text of a `.lua` or `.sql` file, as the program gets it from `import source from "./x.lua"`. Node's loader,
 * esbuild and vitest all ask here. Each `-- @include "piece"` becomes the text of `piece.lua`, by its path from the
 * including file; a piece that several others include is there once, before the first of them.
 */
export function sourceText(file: string): string {
  return file.endsWith(".lua") ? expand(file, { included: new Set(), open: [] }) : readFileSync(file, "utf8");
}

/** The same as a JavaScript module. */
export function sourceModule(file: string): string {
  return `export default ${JSON.stringify(sourceText(file))};`;
}

/** The files that a Lua file names on its `@include` lines. */
export function includesOf(file: string): readonly string[] {
  return [...readFileSync(file, "utf8").matchAll(INCLUDE)].map((match) => pieceFile(file, match[1] ?? ""));
}

function pieceFile(file: string, name: string): string {
  return join(dirname(file), `${name}.lua`);
}

type Expansion = { readonly included: Set<string>; readonly open: readonly string[] };

function expand(file: string, { included, open }: Expansion): string {
  if (open.includes(file)) throw new Error(`Lua pieces include each other: ${[...open, file].join(" includes ")}`);
  return readFileSync(file, "utf8").replace(INCLUDE, (_line, name: string) => {
    const piece = pieceFile(file, name);
    if (included.has(piece)) return "";
    const text = expand(piece, { included, open: [...open, file] });
    included.add(piece);
    return text;
  });
}
