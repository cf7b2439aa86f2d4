import type { Clock } from "../../../shared/clock.ts";
import type { ScriptRunner } from "../../../shared/store/define-script.ts";
import { log } from "../../request/log.ts";
import { type StorePatience, storePatience } from "../../store/store-patience.ts";

/**
 * The store as the gate sees it when it is slow, broken or unavailable: no call takes longer than its patience allows,
 * nor do all calls of one visitor together, and after a few failures no request waits at all. Each such failure is a
 * `StoreUnavailable`, for which each queue has its answer (`onStoreFailure`). Any other error, such as a wrong type
 * under one of our keys, is not an outage: it is passed on, and the gate refuses.
 */
export type GuardedStore = {
  /** Each call once. */
  readonly once: ScriptRunner;
  /**
   * For one visitor, and for scripts that may run twice: a connection that breaks at once is tried once more, because
   * the store closes idle connections without asking. Tells how the visit's time is shared out from its first call on.
   */
  readonly forVisit: () => VisitStore;
  /** Known to be unavailable: no call got an answer lately. */
  readonly isUnavailable: () => boolean;
  /** The last call got no answer. */
  readonly isFailing: () => boolean;
  readonly patience: StorePatience;
  readonly silence: StoreSilence;
};

/** `remainingMs`: of the time that all calls of the visit have together. */
export type VisitStore = ScriptRunner & { readonly remainingMs: () => number };

/** Calls of this isolate since its start. Withheld: not made, because the store had just failed or the time was over. */
export const storeCalls = { answered: 0, failed: 0, withheld: 0 };

export class StoreUnavailable extends Error {
  override readonly name = "StoreUnavailable";
}

export function guardStore(store: ScriptRunner, clock: Clock, patience: StorePatience = storePatience()): GuardedStore {
  const breaker = createCircuitBreaker(clock);
  const silence = createStoreSilence(clock);

  async function ask<Reply>(call: () => Promise<Reply>, limitMs: number): Promise<Reply> {
    if (limitMs <= 0 || !breaker.mayAsk()) {
      storeCalls.withheld++;
      throw new StoreUnavailable("not asked");
    }
    const askedAtMs = clock.nowMs();
    const answered = () => {
      breaker.succeeded();
      silence.answered(askedAtMs);
      storeCalls.answered++;
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
      storeCalls.failed++;
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
    isUnavailable: breaker.isOpen,
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
 * Redis' own error replies to a script: Redis is available. Everything else (no answer, HTML, half a reply, a bridge
 * that says UNAVAILABLE) is an outage.
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

/**
 * Stops calls to a store that does not answer. After a few failures in a row there is a pause; then one caller tries
 * for all, and only its success lets the others call again.
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

function createCircuitBreaker(clock: Clock): CircuitBreaker {
  let failures = 0;
  let closedUntilMs = 0;

  /** The caller that tries restarts the pause: if it never returns, the next one tries after another pause. */
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

/**
 * Whether the store has lately left a call unanswered. Then no request waits for a read that it can do without. One
 * answer to a later call ends the silence; so does time, because a store that was slow two seconds ago may have
 * answered others since.
 */
export type StoreSilence = {
  readonly isSilent: () => boolean;
  /** `askedAtMs`: when the call was made, on the edge's own clock. */
  readonly answered: (askedAtMs: number) => void;
  readonly unanswered: (askedAtMs: number) => void;
};

/** As long as a value counts as fresh: a change made after the silence is known within the same 2 s as any other. */
const SILENCE_MS = 1_900;

export function createStoreSilence(clock: Clock): StoreSilence {
  let answeredMs = Number.NEGATIVE_INFINITY;
  let unansweredMs = Number.NEGATIVE_INFINITY;
  return {
    isSilent() {
      // Negative when the clock was set back: then nothing is known.
      const elapsedMs = clock.nowMs() - unansweredMs;
      return unansweredMs > answeredMs && elapsedMs >= 0 && elapsedMs < SILENCE_MS;
    },
    answered(askedAtMs) {
      answeredMs = askedAtMs;
    },
    unanswered(askedAtMs) {
      unansweredMs = askedAtMs;
    },
  };
}
