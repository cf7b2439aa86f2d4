import type { Logger } from "pino";
import { metricsText } from "../system/metrics-text.ts";

/**
 * How long the event loop of this process was blocked: a timer that comes late says so. While it is blocked nothing is answered, whatever the
 * load, so that every stall above a tenth of a second is counted and logged. A process or machine that was stopped looks the same.
 */
export type WatchedStalls = {
  /** Prometheus text. */
  readonly metrics: () => string;
  readonly stop: () => void;
};

type StallParts = { readonly log: Logger; readonly nowMs?: () => number };

const LOOK_EVERY_MS = 20;
const STALL_MS = 100;
/** The longest of each of these spans; together they are the last minute. */
const SPAN_MS = 10_000;
const SPANS = 6;
/** A process that is blocked again and again has other things to do than to write about it. */
const LOG_EVERY_MS = 10_000;

export function watchStalls({ log, nowMs = () => performance.now() }: StallParts): WatchedStalls {
  const longestMs = new Map<number, number>();
  let stalls = 0;
  let unlogged = 0;
  let loggedAtMs = Number.NEGATIVE_INFINITY;
  let lookedAtMs = nowMs();

  function look(): void {
    const atMs = nowMs();
    const stallMs = Math.max(0, atMs - lookedAtMs - LOOK_EVERY_MS);
    lookedAtMs = atMs;
    const span = Math.floor(atMs / SPAN_MS);
    longestMs.set(span, Math.max(stallMs, longestMs.get(span) ?? 0));
    for (const old of longestMs.keys()) if (old <= span - SPANS) longestMs.delete(old);
    if (stallMs <= STALL_MS) return;
    stalls++;
    tell(atMs, stallMs);
  }

  function tell(atMs: number, stallMs: number): void {
    if (atMs - loggedAtMs < LOG_EVERY_MS) {
      unlogged++;
      return;
    }
    log.warn({ stallMs: Math.round(stallMs), stallsNotLogged: unlogged }, "the event loop was blocked: nothing was answered meanwhile");
    loggedAtMs = atMs;
    unlogged = 0;
  }

  const timer = setInterval(look, LOOK_EVERY_MS);
  timer.unref();
  return {
    metrics: () => {
      look();
      return metricsText("sluice_process_", [
        {
          name: "stall_seconds",
          kind: "gauge",
          help: "The longest time that the event loop was blocked within the last minute.",
          value: Math.max(...longestMs.values()) / 1_000,
        },
        { name: "stalls_total", kind: "counter", help: "How often it was blocked for more than 0.1 s.", value: stalls },
      ]);
    },
    stop: () => clearInterval(timer),
  };
}
