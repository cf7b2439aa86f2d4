import { DatabaseUnavailable } from "./database.ts";
import { within } from "./database-errors.ts";

/** Calls queue up while the database hangs. Beyond this number they fail at once. */
const WAITING_MAX = 200;

type BoundedCalls = <Result>(limitMs: number, work: () => Promise<Result>) => Promise<Result>;

/**
 * Gives each call a deadline and bounds the number of calls in flight. A call counts until it settles, even after its
 * caller has given up.
 */
export function createBoundedCalls(): BoundedCalls {
  let waiting = 0;
  return async (limitMs, work) => {
    if (waiting >= WAITING_MAX) throw new DatabaseUnavailable(`${WAITING_MAX} calls are waiting already`);
    waiting++;
    const running = work();
    const settled = () => void waiting--;
    running.then(settled, settled);
    return within(limitMs, running);
  };
}
