import type { Child } from "../../origin/stack/child.ts";
import type { Part } from "../../origin/stack/plan-stack.ts";

/** One process of the stack, and what can be done to it. */
export type StackPart = {
  readonly name: string;
  readonly pid: () => number;
  /** At once, without a word: `kill -9`. */
  readonly kill: () => Promise<void>;
  /** It stands still and nothing is closed, as on a machine that hangs. */
  readonly freeze: () => void;
  readonly thaw: () => void;
  /** The same as before in the same place; does nothing to one that runs. */
  readonly startAgain: () => Promise<void>;
  readonly stop: () => Promise<void>;
};

export async function startPart(part: Pick<Part, "name" | "start">): Promise<StackPart> {
  let child: Child = await part.start();
  const signal = (name: NodeJS.Signals) => {
    if (!child.hasExited()) process.kill(child.pid, name);
  };
  return {
    name: part.name,
    pid: () => child.pid,
    async kill() {
      signal("SIGKILL");
      await child.exited;
    },
    freeze: () => signal("SIGSTOP"),
    thaw: () => signal("SIGCONT"),
    async startAgain() {
      if (child.hasExited()) child = await part.start();
    },
    async stop() {
      // One that stands still hears nothing else.
      signal("SIGCONT");
      await child.stop();
    },
  };
}
