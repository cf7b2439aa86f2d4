import type { Clock } from "../../../../shared/clock.ts";
import type { ScriptRunner } from "../../../../shared/store/define-script.ts";
import { StoreUnavailable } from "../../../admit/outage/outage.ts";

/**
 * A store on which no call begins later than this: several calls, each slow but not too slow, must not add up to a
 * hang.
 */
export function startingWithin(
  store: ScriptRunner,
  { limitMs, clock }: { readonly limitMs: number; readonly clock: Clock },
): ScriptRunner {
  const startedAtMs = clock.nowMs();

  async function inTime(call: () => Promise<unknown>): Promise<unknown> {
    if (clock.nowMs() - startedAtMs > limitMs) throw new StoreUnavailable("too slow for all that was to be asked");
    return await call();
  }

  return {
    evalsha: (sha, keys, args) => inTime(() => store.evalsha(sha, keys, args)),
    eval: (source, keys, args) => inTime(() => store.eval(source, keys, args)),
  };
}
