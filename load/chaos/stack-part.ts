import { setTimeout as sleep } from "node:timers/promises";
import type { Part } from "../../stack/plan-stack.ts";
import type { Child } from "../../stack/servers/child.ts";

/** One process of the stack that a fault can hit. */
export type StackPart = {
  readonly name: string;
  readonly port: number;
  readonly pid: () => number;
  /** SIGKILL. */
  readonly kill: () => Promise<void>;
  /** SIGSTOP: the process hangs and its connections stay open. */
  readonly freeze: () => void;
  readonly thaw: () => void;
  /** Restarts an ended part on the same port and folder, with its clock off by this much. */
  readonly startAgain: (clockOffMs?: number) => Promise<void>;
  /** Whether the process exits by itself in this time. */
  readonly endsWithin: (ms: number) => Promise<boolean>;
  readonly stop: () => Promise<void>;
};

/** The part with its clock off by this much. */
type WithClock = (offMs: number) => Promise<Part>;

export async function startPart(part: Part, withClock: WithClock = async () => part): Promise<StackPart> {
  let child: Child = await part.start();
  const signal = (name: NodeJS.Signals) => {
    if (!child.hasExited()) process.kill(child.pid, name);
  };
  return {
    name: part.name,
    port: part.port,
    pid: () => child.pid,
    async kill() {
      signal("SIGKILL");
      await child.exited;
    },
    freeze: () => signal("SIGSTOP"),
    thaw: () => signal("SIGCONT"),
    async startAgain(clockOffMs = 0) {
      if (child.hasExited()) child = await (clockOffMs === 0 ? part : await withClock(clockOffMs)).start();
    },
    endsWithin: (ms) => Promise.race([child.exited.then(() => true), sleep(ms, false)]),
    async stop() {
      // A stopped process does not receive SIGTERM.
      signal("SIGCONT");
      await child.stop();
    },
  };
}
