import type { PoolRequest } from "./http-pool.ts";

/**
 * First in, first out, without moving the rest up each time. A request whose patience ends here is never handed out.
 */
export type RequestQueue = {
  /** False when it is full. */
  readonly push: (request: PoolRequest) => boolean;
  readonly shift: () => PoolRequest | undefined;
  /**
   * Ends the requests at the head that have waited too long, so that callers learn of it while no connection is free.
   */
  readonly dropExpired: () => void;
  readonly size: () => number;
  readonly most: () => number;
};

/** More than one request for each visitor of the largest crowd: a larger number is a mistake of the caller. */
const REQUESTS_MAX = 500_000;
/** The taken part of the array is cut off at this length. */
const TAKEN_MAX = 1_024;

type Waiting = { readonly request: PoolRequest; readonly sinceMs: number };

export function createRequestQueue(nowMs: () => number): RequestQueue {
  let requests: (Waiting | undefined)[] = [];
  let taken = 0;
  let most = 0;
  const size = () => requests.length - taken;

  function take(): void {
    requests[taken++] = undefined;
    if (taken < TAKEN_MAX || taken * 2 < requests.length) return;
    requests = requests.slice(taken);
    taken = 0;
  }

  function dropExpired(): void {
    for (let head = requests[taken]; head !== undefined && hasExpired(head, nowMs()); head = requests[taken]) {
      take();
      head.request.patience?.onNotSent();
    }
  }

  return {
    push(request) {
      if (size() >= REQUESTS_MAX) return false;
      requests.push({ request, sinceMs: nowMs() });
      most = Math.max(most, size());
      return true;
    },
    shift() {
      dropExpired();
      const head = requests[taken];
      if (head !== undefined) take();
      return head?.request;
    },
    dropExpired,
    size,
    most: () => most,
  };
}

const hasExpired = ({ request, sinceMs }: Waiting, nowMs: number) =>
  request.patience !== undefined && nowMs - sinceMs >= request.patience.waitMsMax;
