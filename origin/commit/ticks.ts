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
  /**
   * The commands of a batch, and a tick before them if one is due: only a tick opens an auction, and under load no
   * moment is idle. Not in two batches in a row, so that a long opening does not hold up the other pairs.
   */
  readonly ahead: <Next>(shift: () => Next | undefined) => () => Next | GeneratedCommand | undefined;
  /** Returns when a command arrives, or when something is due. */
  readonly wait: (queue: CommandQueue) => Promise<void>;
};

/** The leader looks at everything that often anyway. */
const WAIT_MS_MAX = 250;

export function createTicks(engine: Engine, nowMs: () => number): Ticks {
  let wasAhead = false;
  const isDue = () => engine.nextDueAt(nowMs()) <= nowMs();
  const tick = (): GeneratedCommand => ({ isGenerated: true, at: nowMs() });
  return {
    isDue,
    shift: () => (isDue() ? tick() : undefined),
    ahead(shift) {
      wasAhead = !wasAhead && isDue();
      let next = wasAhead ? tick() : undefined;
      return () => {
        const first = next;
        next = undefined;
        return first ?? shift();
      };
    },
    async wait(queue) {
      const dueMs = engine.nextDueAt(nowMs() + WAIT_MS_MAX) - nowMs();
      const timer = dueMs < WAIT_MS_MAX ? setTimeout(queue.wake, Math.max(0, dueMs)) : undefined;
      await queue.wait();
      clearTimeout(timer);
    },
  };
}
