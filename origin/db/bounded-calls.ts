import { DatabaseUnavailable } from "./database.ts";
import { within } from "./database-errors.ts";

/** While the database hangs, calls pile up behind it; beyond these they fail at once. */
const WAITING_MAX = 200;

type BoundedCalls = <Result>(limitMs: number, work: () => Promise<Result>) => Promise<Result>;

/** Calls with a deadline each and a bound for all. A call counts until it has settled, also when nobody waits for it any more. */
export function createBoundedCalls(): BoundedCalls {
  let waiting = 0;
  return async (limitMs, work) => {
    if (waiting >= WAITING_MAX) throw new DatabaseUnavailable(`${WAITING_MAX} calls wait already`);
    waiting++;
    const running = work();
    const settled = () => void waiting--;
    running.then(settled, settled);
    return within(limitMs, running);
  };
}
