import type { Fault } from "../record/run-record.ts";

/** A clock that stops during faults. */
export function faultFreeTime(faults: readonly Fault[]): (ms: number) => number {
  const bands: { fromMs: number; toMs: number }[] = [];
  for (const { atMs, untilMs } of faults.toSorted((one, other) => one.atMs - other.atMs)) {
    const last = bands.at(-1);
    if (last !== undefined && atMs <= last.toMs) last.toMs = Math.max(last.toMs, untilMs);
    else bands.push({ fromMs: atMs, toMs: Math.max(atMs, untilMs) });
  }
  return (ms) => ms - bands.reduce((sum, { fromMs, toMs }) => sum + Math.max(0, Math.min(ms, toMs) - fromMs), 0);
}
