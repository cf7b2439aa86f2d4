import { watch } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Part } from "./plan-stack.ts";
import type { RunningStack } from "./run-stack.ts";

type ReloadOptions = {
  readonly parts: readonly Part[];
  readonly stack: RunningStack;
  readonly say: (line: string) => void;
};

/** An editor writes several files at once: they cause one reload. */
const SETTLE_MS = 150;
const SOURCE_FILE = /\.(tsx?|css|lua)$/;
/** Files that a reload writes must not cause the next one. */
const NO_SOURCE = /\.test\.ts$|^built\//;

/**
 * `npm run dev`: a change in a folder reloads or restarts the parts that are built from it; one in shared/ affects all
 * of them.
 */
export function reloadOnChange({ parts, stack, say }: ReloadOptions): void {
  const root = fileURLToPath(new URL("../", import.meta.url));
  const changed = new Set<string>();
  let reloading: Promise<void> | undefined;

  for (const source of ["edge", "bridge", "origin", "stack", "shared"]) {
    watch(join(root, source), { recursive: true }, (_event, file) => {
      if (file === null || !SOURCE_FILE.test(file) || NO_SOURCE.test(file)) return;
      changed.add(source);
      reloading ??= reloadAll().finally(() => (reloading = undefined));
    });
  }

  async function reloadAll(): Promise<void> {
    while (changed.size > 0) {
      await sleep(SETTLE_MS);
      const sources = [...changed];
      changed.clear();
      const affected = parts.filter((part) => part.sources.some((source) => sources.includes(source)));
      for (const part of affected) await reload(part);
    }
  }

  /** An error in the code must not stop the stack: it is printed, and the next save tries again. */
  async function reload(part: Part): Promise<void> {
    try {
      if (part.rebuild === undefined) await stack.restart(part);
      else await part.rebuild();
      say(`  ↻ ${part.name}`);
    } catch (error) {
      say(`  ✗ ${part.name}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
}
