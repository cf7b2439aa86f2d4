/** How long the gate waits for its store: everything in proportion to the longest that one call may take. */
export type StorePatience = {
  readonly callMs: number;
  /** All calls of one visitor together. */
  readonly visitMs: number;
  /** A failure that took longer is no broken connection, and another try would not fit. */
  readonly retryWithinMs: number;
  /**
   * No call for an operator begins later than this: with the longest call on top, the answer takes no longer than two.
   */
  readonly operatorMs: number;
  /** How long a request waits for a value that was never read: as long as a call can take. */
  readonly readMs: number;
  /** And for a value that has an older version: hardly noticeable. */
  readonly rereadMs: number;
  /** The request that reads for all may be gone with its client: after so long another one reads. */
  readonly readerMs: number;
  /** When a connection gives up what its caller has given up before. */
  readonly abandonMs: number;
};

/**
 * A store that does not answer must not hold a visitor for a second, unless the operator has configured a distant one.
 */
export const STORE_TIMEOUT_MS = 500;

export function storePatience(callMs: number = STORE_TIMEOUT_MS): StorePatience {
  return {
    callMs,
    visitMs: callMs * 1.6,
    retryWithinMs: callMs * 0.4,
    operatorMs: callMs * 0.9,
    readMs: callMs * 1.1,
    rereadMs: callMs * 0.4,
    readerMs: callMs * 0.2,
    abandonMs: callMs * 1.6,
  };
}
