import { setTimeout as sleep } from "node:timers/promises";
import type { Child } from "../../origin/stack/child.ts";
import type { Part } from "../../origin/stack/plan-stack.ts";

/** One process of the stack, and what can be done to it. */
export type StackPart = {
  readonly name: string;
  readonly port: number;
  readonly pid: () => number;
  /** At once, without a word: `kill -9`. */
  readonly kill: () => Promise<void>;
  /** It stands still and nothing is closed, as on a machine that hangs. */
  readonly freeze: () => void;
  readonly thaw: () => void;
  /** The same as before in the same place, with its clock off by so much; does nothing to one that runs. */
  readonly startAgain: (clockOffMs?: number) => Promise<void>;
  /** Whether it ends by itself in this time. */
  readonly endsWithin: (ms: number) => Promise<boolean>;
  readonly stop: () => Promise<void>;
};

/** How a part is brought up whose clock is to be off by so much. */
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
      // One that stands still hears nothing else.
      signal("SIGCONT");
      await child.stop();
    },
  };
}
