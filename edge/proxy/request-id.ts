import { type FillRandom, newId, systemRandom } from "../../shared/ids.ts";

/** A request's name in our log, at the origin and in what a visitor reports. Unguessable, and never the client's own word. */
export function newRequestId(): string {
  return newId(takeRandom);
}

/** Asking the runtime for randomness costs more than the rest of an id, so it is asked for many ids at once. */
const POOL_BYTES = 4_096;
const pool = new Uint8Array(POOL_BYTES);
let taken = POOL_BYTES;

const takeRandom: FillRandom = (bytes) => {
  if (taken + bytes.length > POOL_BYTES) {
    systemRandom(pool);
    taken = 0;
  }
  bytes.set(pool.subarray(taken, taken + bytes.length));
  taken += bytes.length;
  return bytes;
};
