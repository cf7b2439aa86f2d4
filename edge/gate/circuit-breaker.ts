import type { Clock } from "../../shared/clock.ts";

/**
 * Stops asking a store that does not answer. After a few failures in a row nobody asks for a moment; then one caller
 * tries for all, and only its success lets the others ask again.
 */
export type CircuitBreaker = {
  /** Whether this caller may ask. It must say how it went, or be forgotten after a while. */
  readonly mayAsk: () => boolean;
  /** Whether the last ones to ask got no answer. */
  readonly isOpen: () => boolean;
  /** Whether the last one to ask got no answer. */
  readonly isFailing: () => boolean;
  readonly succeeded: () => void;
  readonly failed: () => void;
};

const FAILURES_MAX = 3;
const PAUSE_MS = 1_000;

export function createCircuitBreaker(clock: Clock): CircuitBreaker {
  let failures = 0;
  let closedUntilMs = 0;

  /** Whoever tries for all takes the pause for itself: if it never comes back, the next one tries after as long. */
  function pause(): void {
    closedUntilMs = clock.nowMs() + PAUSE_MS;
  }

  return {
    mayAsk() {
      if (failures < FAILURES_MAX) return true;
      const remainingMs = closedUntilMs - clock.nowMs();
      if (remainingMs > 0 && remainingMs <= PAUSE_MS) return false;
      pause();
      return true;
    },
    isOpen: () => failures >= FAILURES_MAX,
    isFailing: () => failures > 0,
    succeeded: () => {
      failures = 0;
    },
    failed: () => {
      failures++;
      if (failures >= FAILURES_MAX) pause();
    },
  };
}
