import type { Clock } from "../../shared/clock.ts";
import { log } from "../log.ts";
import type { Line } from "../queue/line.ts";
import type { Later } from "./later.ts";

/** Keeps a line moving after the answers: what one visitor's call may not do for all, sweeps do, and never on a visitor's time. */
export type Sweeps = {
  /** On any request for the queue, at most once a second. */
  readonly now: (openLine: () => Line, later: Later) => void;
  /** The line said that there is more to do than one call may. */
  readonly more: (line: Line, later: Later) => void;
};

const PAUSE_MS = 1_000;
const SWEEPS_MAX = 10;

export function createSweeps(clock: Clock): Sweeps {
  let sweptAtMs = Number.NEGATIVE_INFINITY;
  let isSweepingSinceMs = Number.NEGATIVE_INFINITY;

  function start(line: Line, later: Later): void {
    const nowMs = clock.nowMs();
    // A sweep whose request was taken down with its client never ends; after a pause it counts as over.
    if (nowMs - isSweepingSinceMs >= 0 && nowMs - isSweepingSinceMs < PAUSE_MS) return;
    isSweepingSinceMs = nowMs;
    sweptAtMs = nowMs;
    later(
      sweepAll(line).finally(() => {
        isSweepingSinceMs = Number.NEGATIVE_INFINITY;
      }),
    );
  }

  return {
    now: (openLine, later) => {
      if (Math.abs(clock.nowMs() - sweptAtMs) >= PAUSE_MS) start(openLine(), later);
    },
    more: start,
  };
}

/** As many sweeps as there is work for, up to a bound. */
export async function sweepAll(line: Pick<Line, "sweep">): Promise<void> {
  try {
    for (let sweeps = 0; sweeps < SWEEPS_MAX; sweeps++) if (!(await line.sweep()).hasMore) return;
  } catch (error) {
    log("warn", "a sweep failed", { error });
  }
}
