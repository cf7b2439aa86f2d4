/**
 * Measures how long the origin lets us wait, and only that. It runs while the next step is the origin's: taking a piece
 * of the request's body, or sending response headers once it has the whole request. It stands still while the client
 * is slow, so a long upload is never cut for its length, and an origin that stops reading is given up all the same.
 */
export type OriginClock = {
  /** Resolves when the origin has let us wait for the whole limit at one step. */
  readonly expired: Promise<"expired">;
  readonly run: () => void;
  readonly pause: () => void;
};

export function createOriginClock(limitMs: number): OriginClock {
  let expire: (value: "expired") => void;
  const expired = new Promise<"expired">((resolve) => {
    expire = resolve;
  });
  let timer: number | null = null;
  const pause = () => clearTimeout(timer);
  const run = () => {
    clearTimeout(timer);
    timer = setTimeout(() => expire("expired"), limitMs);
  };
  return { expired, run, pause };
}
