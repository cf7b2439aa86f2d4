import type { Clock } from "../../../shared/clock.ts";
import type { HealthReport } from "../../../shared/http/health.ts";

/** Young enough for every monitor, and one check a second is nothing to the stores. */
const FRESH_MS = 1_000;
/** A check ends by then. One that has not was dropped with the client that caused it. */
const CHECK_MS_MAX = 1_000;
/** While a check runs, the last report is still good for this long. */
const STALE_MS = 3_000;
const LOOK_EVERY_MS = 25;

/**
 * The last report of this isolate, checked again after a second by one request at a time. Other requests get the last
 * report, or look for the new one: they share its value and never wait for another request's promise, which workerd
 * forbids.
 */
export function createRecentReport(clock: Clock) {
  let last: { readonly report: HealthReport; readonly atMs: number } | undefined;
  let checkingSinceMs = Number.NEGATIVE_INFINITY;

  const lastWithin = (limitMs: number) =>
    last !== undefined && isWithin(clock.nowMs() - last.atMs, limitMs) ? last.report : undefined;
  const isChecking = () => isWithin(clock.nowMs() - checkingSinceMs, CHECK_MS_MAX);

  return async function recentReport(check: () => Promise<HealthReport>): Promise<HealthReport> {
    for (;;) {
      const report = lastWithin(isChecking() ? STALE_MS : FRESH_MS);
      if (report !== undefined) return report;
      if (!isChecking()) break;
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    }
    checkingSinceMs = clock.nowMs();
    const report = await check();
    last = { report, atMs: clock.nowMs() };
    checkingSinceMs = Number.NEGATIVE_INFINITY;
    return report;
  };
}

/** False for a time that lies ahead: the clock was set back. */
function isWithin(ageMs: number, limitMs: number): boolean {
  return ageMs >= 0 && ageMs < limitMs;
}
