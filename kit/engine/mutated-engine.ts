import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import type { Engine } from "../../origin/engine/engine.ts";
import type { EngineBounds } from "../../origin/engine/limits.ts";

export type CreateEngine = (bounds?: Partial<EngineBounds>) => Engine;

/** The engine with one text in its sources replaced, and how often that text occurred. */
export async function mutatedEngine(
  right: string,
  wrong: string,
): Promise<{ readonly createEngine: CreateEngine; readonly found: number }> {
  let found = 0;
  const built = await build({
    entryPoints: [fileURLToPath(new URL("../../origin/engine/engine.ts", import.meta.url))],
    bundle: true,
    format: "esm",
    target: "es2024",
    write: false,
    plugins: [
      {
        name: "mutate",
        setup({ onLoad }) {
          onLoad({ filter: /origin\/engine\/[a-z/-]+\.ts$/ }, async ({ path }) => {
            const source = await readFile(path, "utf8");
            found += source.split(right).length - 1;
            return { contents: source.replace(right, () => wrong), loader: "ts" };
          });
        },
      },
    ],
  });
  const code = Buffer.from(built.outputFiles[0]?.contents ?? []).toString("base64");
  const module = (await import(/* @vite-ignore */ `data:text/javascript;base64,${code}`)) as {
    readonly createEngine: CreateEngine;
  };
  return { createEngine: module.createEngine, found };
}
