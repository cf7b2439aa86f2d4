import type { Clock } from "../../shared/clock.ts";
import type { ScriptRunner } from "../../shared/define-script.ts";
import { log } from "../log.ts";
import { countStoreCall } from "../metrics/edge-counters.ts";
import { type StorePatience, storePatience } from "../store/store-patience.ts";
import { createCircuitBreaker } from "./circuit-breaker.ts";
import { createStoreSilence, type StoreSilence } from "./store-silence.ts";

/**
 * The store, as the gate sees it when it is slow, broken or away: no call takes longer than its patience allows, nor do all
 * calls of one visitor together, and after a few failures nobody waits at all. Every such failure is a
 * `StoreUnavailable`, for which each queue has its answer (`onStoreFailure`). Any other error, such as a wrong type under a key
 * of ours, is not an outage: it is passed on, and the gate refuses.
 */
export type GuardedStore = {
  /** Each call once. */
  readonly once: ScriptRunner;
  /**
   * For one visitor, and for scripts that may run twice: a connection that breaks at once is tried once more, because the
   * store closes idle connections without asking. Tells how the visit's time is shared out from its first call on.
   */
  readonly forVisit: () => VisitStore;
  /** Known to be away: nobody has had an answer lately. */
  readonly isAway: () => boolean;
  /** The last call got no answer. */
  readonly isFailing: () => boolean;
  readonly patience: StorePatience;
  readonly silence: StoreSilence;
};

/** `remainingMs`: of the time that all calls of the visit have together. */
export type VisitStore = ScriptRunner & { readonly remainingMs: () => number };

export class StoreUnavailable extends Error {
  override readonly name = "StoreUnavailable";
}

export function guardStore(store: ScriptRunner, clock: Clock, patience: StorePatience = storePatience()): GuardedStore {
  const breaker = createCircuitBreaker(clock);
  const silence = createStoreSilence(clock);

  async function ask<Reply>(call: () => Promise<Reply>, limitMs: number): Promise<Reply> {
    if (limitMs <= 0 || !breaker.mayAsk()) {
      countStoreCall("withheld");
      throw new StoreUnavailable("not asked");
    }
    const askedAtMs = clock.nowMs();
    const answered = () => {
      breaker.succeeded();
      silence.answered(askedAtMs);
      countStoreCall("answered");
    };
    try {
      const reply = await within(call(), limitMs);
      answered();
      return reply;
    } catch (error) {
      if (isReply(error)) {
        answered();
        throw error;
      }
      // A call that was given hardly any time, and used it up, says nothing about the store.
      if (limitMs >= patience.callMs / 2 || clock.nowMs() - askedAtMs < limitMs / 2) {
        breaker.failed();
        silence.unanswered(askedAtMs);
      }
      countStoreCall("failed");
      log("warn", "the store failed", { error });
      throw new StoreUnavailable("asked in vain");
    }
  }

  function once(limitMs: () => number): ScriptRunner {
    return {
      evalsha: (sha, keys, args) => ask(() => store.evalsha(sha, keys, args), limitMs()),
      eval: (source, keys, args) => ask(() => store.eval(source, keys, args), limitMs()),
    };
  }

  return {
    once: once(() => patience.callMs),
    isAway: breaker.isOpen,
    isFailing: breaker.isFailing,
    patience,
    silence,
    forVisit() {
      const startedAtMs = clock.nowMs();
      const remainingMs = () => patience.visitMs - Math.max(0, clock.nowMs() - startedAtMs);
      const store = once(() => Math.min(patience.callMs, remainingMs()));
      return { ...triedAgain(store, clock, patience.retryWithinMs), remainingMs };
    },
  };
}

function triedAgain(store: ScriptRunner, clock: Clock, retryWithinMs: number): ScriptRunner {
  async function twice(call: () => Promise<unknown>): Promise<unknown> {
    const startedAtMs = clock.nowMs();
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof StoreUnavailable) || clock.nowMs() - startedAtMs > retryWithinMs) throw error;
      return await call();
    }
  }

  return {
    evalsha: (sha, keys, args) => twice(() => store.evalsha(sha, keys, args)),
    eval: (source, keys, args) => twice(() => store.eval(source, keys, args)),
  };
}

/**
 * What Redis itself says to a script: it is there and answers. Everything else (no answer, HTML, half a reply, a bridge that says
 * UNAVAILABLE) is an outage.
 */
const REDIS_REPLY = /^(?:NOSCRIPT|WRONGTYPE|ERR) /;

function isReply(error: unknown): boolean {
  return error instanceof Error && REDIS_REPLY.test(error.message);
}

function within<Value>(work: Promise<Value>, limitMs: number): Promise<Value> {
  return new Promise<Value>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`no answer within ${limitMs} ms`)), limitMs);
    work.then(
      (value) => {
        clearTimeout(timer);
        resolve(value);
      },
      (error: unknown) => {
        clearTimeout(timer);
        reject(error instanceof Error ? error : new Error(String(error)));
      },
    );
  });
}
