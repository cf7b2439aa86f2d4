import type { PoolRequest } from "./http-pool.ts";

/** First come, first served, without moving the others up each time. */
export type RequestQueue = {
  /** False when it is full. */
  readonly push: (request: PoolRequest) => boolean;
  readonly shift: () => PoolRequest | undefined;
  readonly size: () => number;
  readonly most: () => number;
};

/** More than one request for each of the largest crowd: what is beyond that is a mistake of the caller. */
const REQUESTS_MAX = 500_000;
/** The part that was taken out is cut off when it is that long. */
const TAKEN_MAX = 1_024;

export function createRequestQueue(): RequestQueue {
  let requests: (PoolRequest | undefined)[] = [];
  let taken = 0;
  let most = 0;
  const size = () => requests.length - taken;
  return {
    push(request) {
      if (size() >= REQUESTS_MAX) return false;
      requests.push(request);
      most = Math.max(most, size());
      return true;
    },
    shift() {
      if (taken === requests.length) return undefined;
      const request = requests[taken];
      requests[taken++] = undefined;
      if (taken >= TAKEN_MAX && taken * 2 >= requests.length) {
        requests = requests.slice(taken);
        taken = 0;
      }
      return request;
    },
    size,
    most: () => most,
  };
}
