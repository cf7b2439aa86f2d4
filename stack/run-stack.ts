import type { Part } from "./plan-stack.ts";
import { type Child, describeExit, stopAllChildren } from "./servers/child.ts";
import { isPortFree } from "./servers/free-port.ts";

/** A stack runs completely or not at all: main.ts stops everything as soon as one part has died. */
export type RunningStack = {
  /** Resolves when a part has ended by itself, with a sentence about which one and why. */
  readonly died: Promise<string>;
  readonly restart: (part: Part) => Promise<void>;
  /** Of the parts that run, by name. */
  readonly pids: () => ReadonlyMap<string, number>;
  readonly stop: () => Promise<void>;
};

type RunOptions = {
  readonly stopAsked: AbortSignal;
  readonly onReady: (part: Part, tookMs: number) => void;
  readonly onProgress?: (part: Part, progress: string) => void;
};

/**
 * Starts each part as soon as those that it needs are ready. When one fails or a stop is requested meanwhile, none is
 * left running.
 */
export async function runStack(
  parts: readonly Part[],
  { stopAsked, onReady, onProgress }: RunOptions,
): Promise<RunningStack> {
  await assertPortsFree(parts);
  const running = new Map<Part, Child>();
  const expectedToEnd = new Set<Child>();
  const death = Promise.withResolvers<string>();
  let isGivenUp = false;

  async function start(part: Part): Promise<void> {
    if (isGivenUp) return;
    const child = await part.start((progress) => onProgress?.(part, progress));
    running.set(part, child);
    void child.exited.then((exit) => {
      if (!expectedToEnd.has(child)) death.resolve(describeExit(part.name, exit));
    });
  }

  async function restart(part: Part): Promise<void> {
    const child = running.get(part);
    if (child !== undefined) {
      expectedToEnd.add(child);
      await child.stop();
    }
    await start(part);
  }

  async function stop(): Promise<void> {
    isGivenUp = true;
    for (const child of running.values()) expectedToEnd.add(child);
    for (const part of parts.toReversed()) await running.get(part)?.stop();
    await stopAllChildren();
  }

  try {
    const ready = startInOrder(parts, async (part) => {
      const startedAt = performance.now();
      await start(part);
      if (!isGivenUp) onReady(part, performance.now() - startedAt);
    });
    await Promise.race([ready, rejectOnDeath(death.promise), rejectOnAbort(stopAsked)]);
  } catch (error) {
    await stop();
    throw error;
  }
  const pids = () => new Map([...running].map(([part, child]) => [part.name, child.pid]));
  return { died: death.promise, restart, pids, stop };
}

/** Fails with the first failure; what was not started by then is for `start` to leave out. */
async function startInOrder(parts: readonly Part[], start: (part: Part) => Promise<void>): Promise<void> {
  const ready = new Map<string, Promise<void>>();
  for (const part of parts) {
    const needed = part.needs.map((name) => ready.get(name) ?? Promise.resolve());
    ready.set(
      part.name,
      Promise.all(needed).then(() => start(part)),
    );
  }
  await Promise.all(ready.values());
}

/** A part that depends on a dead one would never become ready, and would be blamed for it. */
async function rejectOnDeath(death: Promise<string>): Promise<never> {
  throw new Error(await death);
}

function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const abort = () => reject(new Error("Stop requested during the start."));
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort, { once: true });
  });
}

async function assertPortsFree(parts: readonly Part[]): Promise<void> {
  const checks = await Promise.all(parts.map(async (part) => ({ part, free: await isPortFree(part.port) })));
  const taken = checks.filter(({ free }) => !free).map(({ part }) => part);
  if (taken.length === 0) return;
  const sentences = taken.map(
    ({ name, port, portVariable }) =>
      `Port ${port} for ${name} is in use: stop the program that listens there, or set ${portVariable} to another.`,
  );
  throw new Error(sentences.join("\n"));
}
