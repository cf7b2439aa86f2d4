import { systemClock } from "../../shared/clock.ts";

/**
 * How fast a request's body must come. A client that sends one byte now and then holds a connection, here and at the
 * origin, for nothing: in each window at least a kilobyte must come, and the whole body within a bound. A window counts
 * only while the client is waited for.
 */
export type BodyPace = {
  /** The client is waited for, from now on. */
  readonly wait: () => void;
  /** So many bytes have come; the wait for the client is over. */
  readonly take: (bytes: number) => void;
};

/** In each window; a window in which less came is the last one. */
export const WINDOW_BYTES_MIN = 1_024;
/** Ten minutes for a whole body, with windows of fifteen seconds. */
export const WINDOWS_MAX = 40;

type PaceOptions = { readonly windowMs: number; readonly onSlow: () => void };

export function createBodyPace({ windowMs, onSlow }: PaceOptions): BodyPace {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let bytesInWindow = 0;
  let waitedMs = 0;
  let waitedInAllMs = 0;
  let sinceMs = 0;
  return {
    wait() {
      sinceMs = systemClock.nowMs();
      const leftMs = Math.min(windowMs - waitedMs, windowMs * WINDOWS_MAX - waitedInAllMs);
      timer = setTimeout(onSlow, Math.max(0, leftMs));
    },
    take(bytes) {
      if (timer !== undefined) clearTimeout(timer);
      const tookMs = Math.max(0, systemClock.nowMs() - sinceMs);
      waitedMs += tookMs;
      waitedInAllMs += tookMs;
      bytesInWindow += bytes;
      if (bytesInWindow < WINDOW_BYTES_MIN) return;
      bytesInWindow = 0;
      waitedMs = 0;
    },
  };
}
