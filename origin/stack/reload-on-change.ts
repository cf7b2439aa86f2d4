import { watch } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { bundleWorker, WORKER_ENTRY } from "./edge-server.ts";
import type { Part } from "./plan-stack.ts";
import type { RunningStack } from "./run-stack.ts";

type ReloadOptions = {
  readonly parts: readonly Part[];
  readonly stack: RunningStack;
  readonly folder: string;
  readonly say: (line: string) => void;
};

/** An editor writes several files at once; they make one reload. */
const SETTLE_MS = 150;
const SOURCE_FILE = /\.(ts|lua)$/;
const TEST_FILE = /\.test\.ts$/;

/** `npm run dev`: a change in edge/ rebuilds the worker, one in origin/ restarts the Node parts, one in shared/ does both. */
export function reloadOnChange({ parts, stack, folder, say }: ReloadOptions): void {
  const root = fileURLToPath(new URL("../../", import.meta.url));
  const changed = new Set<string>();
  let reloading: Promise<void> | undefined;

  for (const source of ["edge", "origin", "shared"]) {
    watch(join(root, source), { recursive: true }, (_event, file) => {
      if (file === null || !SOURCE_FILE.test(file) || TEST_FILE.test(file)) return;
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

  /** A mistake in the code must not end the session: it is shown, and the next save tries again. */
  async function reload(part: Part): Promise<void> {
    try {
      if (part.name === "edge") await bundleWorker(WORKER_ENTRY, join(folder, "edge"));
      else await stack.restart(part);
      say(`  ↻ ${part.name}`);
    } catch (error) {
      say(`  ✗ ${part.name}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
}
