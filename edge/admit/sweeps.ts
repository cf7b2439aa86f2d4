import type { Clock } from "../../shared/clock.ts";
import type { Line } from "../line/line.ts";
import type { Later } from "../proxy/platform.ts";
import { log } from "../request/log.ts";
import { someAtOnce } from "../store/some-at-once.ts";

/**
 * Keeps a line moving after the answers: what one visitor's call may not do for all, sweeps do, and never on a
 * visitor's time. Sessions that ended while the store was unavailable are ended there by the next sweep; until then, or
 * until they expire, they hold their slots.
 */
export type Sweeps = {
  /** On any request for the queue, at most once a second. */
  readonly now: (openLine: () => Line, later: Later) => void;
  /** The line said that there is more to do than one call may. */
  readonly more: (line: Line, later: Later) => void;
  /** The session is over, and the store could not be told. */
  readonly owe: (sessionId: string, reason: OwedReason) => void;
  /** As `now`, but only where the store has something to be told. */
  readonly owed: (openLine: () => Line, later: Later) => void;
};

type OwedReason = "completed" | "revoked" | "left";

const PAUSE_MS = 1_000;
const SWEEPS_MAX = 10;
/** Beyond that the oldest are forgotten here, and their slots return when they expire. */
const OWED_MAX = 10_000;
const OWED_PER_SWEEP_MAX = 200;
const OWED_AT_ONCE = 4;

export function createSweeps(clock: Clock): Sweeps {
  let sweptAtMs = Number.NEGATIVE_INFINITY;
  let isSweepingSinceMs = Number.NEGATIVE_INFINITY;
  const owed = new Map<string, OwedReason>();

  /** A session that could not be ended stays owed until the next sweep. */
  async function settleOwed(line: Line): Promise<void> {
    await someAtOnce([...owed].slice(0, OWED_PER_SWEEP_MAX), OWED_AT_ONCE, async ([sessionId, reason]) => {
      await line.end({ sessionId, reason });
      owed.delete(sessionId);
    });
  }

  function start(line: Line, later: Later): void {
    const nowMs = clock.nowMs();
    // A sweep whose request was taken down with its client never ends; after a pause it counts as over.
    if (nowMs - isSweepingSinceMs >= 0 && nowMs - isSweepingSinceMs < PAUSE_MS) return;
    isSweepingSinceMs = nowMs;
    sweptAtMs = nowMs;
    later(
      sweepAll(line, owed.size > 0 ? settleOwed : undefined).finally(() => {
        isSweepingSinceMs = Number.NEGATIVE_INFINITY;
      }),
    );
  }

  function now(openLine: () => Line, later: Later): void {
    if (Math.abs(clock.nowMs() - sweptAtMs) >= PAUSE_MS) start(openLine(), later);
  }

  return {
    now,
    more: start,
    owe: (sessionId, reason) => {
      owed.set(sessionId, reason);
      const oldest = owed.keys().next();
      if (owed.size > OWED_MAX && !oldest.done) owed.delete(oldest.value);
    },
    owed: (openLine, later) => {
      if (owed.size > 0) now(openLine, later);
    },
  };
}

/** As many sweeps as there is work for, up to a bound. */
export async function sweepAll<Swept extends Pick<Line, "sweep">>(
  line: Swept,
  first?: (line: Swept) => Promise<void>,
): Promise<void> {
  try {
    await first?.(line);
    for (let sweeps = 0; sweeps < SWEEPS_MAX; sweeps++) if (!(await line.sweep()).hasMore) return;
  } catch (error) {
    log("warn", "a sweep failed", { error });
  }
}
