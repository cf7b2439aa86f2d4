import { PerformanceObserver } from "node:perf_hooks";
import type { Logger } from "pino";
import { metricsText } from "../../shared/http/exposition.ts";

/**
 * How long the event loop of this process was blocked, measured by a timer that fires late. While it is blocked no
 * request is answered, so every stall above 0.1 s is counted and logged. The log line shows the cause: `gcMs` close to
 * `stallMs` is garbage collection, `cpuMs` close to it is work of this process, and little of both means that the
 * machine gave the process no core.
 */
export type WatchedStalls = {
  /** Prometheus text. */
  readonly metrics: () => string;
  readonly stop: () => void;
};

type StallParts = { readonly log: Logger; readonly nowMs?: () => number };

const LOOK_EVERY_MS = 20;
const STALL_MS = 100;
/** The longest stall in each of these spans; together they are the last minute. */
const SPAN_MS = 10_000;
const SPANS = 6;
/** A process that is blocked repeatedly must not spend its time on logging. */
const LOG_EVERY_MS = 10_000;

export function watchStalls({ log, nowMs = () => performance.now() }: StallParts): WatchedStalls {
  const longestMs = new Map<number, number>();
  let stalls = 0;
  let unlogged = 0;
  let loggedAtMs = Number.NEGATIVE_INFINITY;
  let lookedAtMs = nowMs();
  let lookedAtCpuMs = threadCpuMs();
  let gcMs = 0;
  let pending: { readonly stallMs: number; readonly cpuMs: number } | undefined;
  const collections = new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) gcMs += duration;
  });
  collections.observe({ entryTypes: ["gc"] });

  function look(): void {
    const atMs = nowMs();
    const stallMs = Math.max(0, atMs - lookedAtMs - LOOK_EVERY_MS);
    lookedAtMs = atMs;
    const cpuMs = threadCpuMs() - lookedAtCpuMs;
    lookedAtCpuMs += cpuMs;
    // Garbage collections are reported one turn after they end, so a stall is logged at the next tick.
    if (pending !== undefined) tell(atMs, pending);
    pending = undefined;
    const span = Math.floor(atMs / SPAN_MS);
    longestMs.set(span, Math.max(stallMs, longestMs.get(span) ?? 0));
    for (const old of longestMs.keys()) if (old <= span - SPANS) longestMs.delete(old);
    if (stallMs > STALL_MS) {
      stalls++;
      pending = { stallMs, cpuMs };
    } else gcMs = 0;
  }

  function tell(atMs: number, { stallMs, cpuMs }: { readonly stallMs: number; readonly cpuMs: number }): void {
    if (atMs - loggedAtMs < LOG_EVERY_MS) {
      unlogged++;
      return;
    }
    const [stall, cpu, gc] = [stallMs, cpuMs, gcMs].map(Math.round);
    log.warn(
      { stallMs: stall, cpuMs: cpu, gcMs: gc, stallsNotLogged: unlogged },
      "the event loop was blocked; no request was answered meanwhile",
    );
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
    stop: () => {
      clearInterval(timer);
      collections.disconnect();
    },
  };
}

/** The CPU time of the main thread only, without the threads of the database and of V8. */
function threadCpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
