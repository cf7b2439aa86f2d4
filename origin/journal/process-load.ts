import { cpus } from "node:os";
import { performance } from "node:perf_hooks";

/**
 * Whether orders need the whole machine: this process is busy, and no core has time left. Consumers of the journal then
 * make fewer, larger steps, so that no order waits for the record of another.
 */
export type ProcessLoad = { readonly isHigh: () => boolean };

/** Milliseconds since any moment. */
type Times = {
  readonly wallMs: number;
  /** Of the event loop of this process. */
  readonly busyMs: number;
  /** Of all cores. */
  readonly idleMs: number;
};

/** Long enough that one large step of a consumer does not count as load. */
const SPAN_MS = 200;
const BUSY_SHARE_MIN = 0.5;
const IDLE_SHARE_MAX = 0.1;

type LoadParts = {
  readonly nowMs?: () => number;
  readonly readTimes?: () => Omit<Times, "wallMs">;
  readonly cores?: number;
};

export function watchProcessLoad(parts: LoadParts = {}): ProcessLoad {
  const { nowMs = () => performance.now(), readTimes = timesOfProcess, cores = cpus().length } = parts;
  let from: Times = { wallMs: nowMs(), ...readTimes() };
  let isHigh = false;

  function judge(until: Times): boolean {
    const wallMs = until.wallMs - from.wallMs;
    const isBusy = until.busyMs - from.busyMs >= wallMs * BUSY_SHARE_MIN;
    return isBusy && until.idleMs - from.idleMs <= wallMs * cores * IDLE_SHARE_MAX;
  }

  return {
    isHigh() {
      const wallMs = nowMs();
      if (wallMs - from.wallMs < SPAN_MS) return isHigh;
      const until = { wallMs, ...readTimes() };
      isHigh = judge(until);
      from = until;
      return isHigh;
    },
  };
}

function timesOfProcess(): Omit<Times, "wallMs"> {
  const idleMs = cpus().reduce((sum, { times }) => sum + times.idle, 0);
  return { busyMs: performance.eventLoopUtilization().active, idleMs };
}
