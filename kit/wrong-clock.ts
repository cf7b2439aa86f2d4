import { writeFile } from "node:fs/promises";
import { join } from "node:path";

/** Program text that shifts every JavaScript clock of the process by so much. */
function clockSource(offMs: number): string {
  return [
    "const Right = Date;",
    `globalThis.Date = class Date extends Right {`,
    `  constructor(...given) { given.length === 0 ? super(Right.now() + ${offMs}) : super(...given); }`,
    `  static now() { return Right.now() + ${offMs}; }`,
    "};",
  ].join("\n");
}

/** For NODE_OPTIONS of a Node process: before anything of its own. */
export function nodeOptionsWithClock(offMs: number): string {
  return `--import=data:text/javascript,${encodeURIComponent(clockSource(offMs))}`;
}

type Entry = {
  readonly runtime: "worker" | "node";
  readonly entryFile: string;
  readonly folder: string;
  readonly offMs: number;
};

/** Wraps the edge's entry so that the clock is wrong from the start. */
export async function entryWithClock({ runtime, entryFile, folder, offMs }: Entry): Promise<string> {
  const file = join(folder, `clock-off-${offMs}.mjs`);
  const entry = JSON.stringify(entryFile);
  const rest =
    runtime === "worker" ? `import worker from ${entry};\nexport default worker;\n` : `await import(${entry});\n`;
  await writeFile(file, `${clockSource(offMs)}\n${rest}`);
  return file;
}
