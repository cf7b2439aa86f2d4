import type { Engine } from "../engine/engine.ts";
import type { CommandQueue, GeneratedCommand } from "./command-queue.ts";

/**
 * The leader's own commands. An engine acts only on commands: when work is left over or a time has come, and no other
 * command arrives, the leader gives it the time. A standby never does: it reads in the journal what came of it.
 */
export type Ticks = {
  readonly isDue: () => boolean;
  /** One after the other while something is due: each does a bounded part, and an entry has room for several. */
  readonly shift: () => GeneratedCommand | undefined;
  /** Returns when a command arrives, or when something is due. */
  readonly wait: (queue: CommandQueue) => Promise<void>;
};

/** The leader looks at everything that often anyway. */
const WAIT_MS_MAX = 250;

export function createTicks(engine: Engine, nowMs: () => number): Ticks {
  const isDue = () => engine.nextDueAt() <= nowMs();
  return {
    isDue,
    shift: () => (isDue() ? { isGenerated: true, at: nowMs() } : undefined),
    async wait(queue) {
      const dueMs = engine.nextDueAt() - nowMs();
      const timer = dueMs < WAIT_MS_MAX ? setTimeout(queue.wake, Math.max(0, dueMs)) : undefined;
      await queue.wait();
      clearTimeout(timer);
    },
  };
}
