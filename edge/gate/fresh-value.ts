import type { Clock } from "../../shared/clock.ts";
import type { StorePatience } from "../store/store-patience.ts";
import type { Later } from "./later.ts";

/**
 * One value of the store, kept in the isolate. Young, it is used as it is; older, it is used and read again after the
 * answer; too old, it is read again first. With the store away the last known value goes on being used, whatever its age.
 */
export type FreshValue<Value> = {
  /** Undefined while nothing was ever read. */
  readonly get: (later: Later) => Value | undefined | Promise<Value | undefined>;
  readonly known: () => Value | undefined;
  /** Whether what `get` gave last can say what is not there: it is young, or was read just now, however long that took. */
  readonly isCurrent: () => boolean;
  /** The next use reads it again. */
  readonly expire: () => void;
};

type FreshValueOptions<Value> = {
  /** Given what is known so far. A rejection leaves that as it is. */
  readonly load: (known: Value | undefined) => Promise<Value>;
  readonly onFailure: (error: unknown) => void;
  readonly clock: Clock;
  readonly refreshAfterMs: number;
  readonly staleAfterMs: number;
  readonly patience: StorePatience;
};

/** A read that failed is not tried again for every visitor in the queue. */
const RETRY_AFTER_MS = 500;

export function createFreshValue<Value>(options: FreshValueOptions<Value>): FreshValue<Value> {
  const { load, onFailure, clock, refreshAfterMs, staleAfterMs, patience } = options;
  /** Counts how often it was expired: what was asked for before the last time is not news. */
  let edition = 0;
  let known: { readonly value: Value; readonly askedAtMs: number; readonly edition: number } | undefined;
  let loading: { readonly done: Promise<void>; readonly sinceMs: number; readonly edition: number } | undefined;
  let failedAtMs = Number.NEGATIVE_INFINITY;

  async function loadOnce(asked: { readonly askedAtMs: number; readonly edition: number }): Promise<void> {
    try {
      const value = await load(known?.value);
      // A slow answer to an older question does not take the place of a newer one.
      if (known === undefined || asked.edition >= known.edition) known = { value, ...asked };
      failedAtMs = Number.NEGATIVE_INFINITY;
    } catch (error) {
      failedAtMs = clock.nowMs();
      onFailure(error);
    } finally {
      if (loading?.sinceMs === asked.askedAtMs && loading.edition === asked.edition) loading = undefined;
    }
  }

  /** One read at a time; it is kept alive even when the client that caused it goes away. */
  function refresh(nowMs: number, later: Later): Promise<void> {
    if (loading?.edition === edition && isWithin(nowMs - loading.sinceMs, patience.readMs)) return loading.done;
    const done = loadOnce({ askedAtMs: nowMs, edition });
    loading = { done, sinceMs: nowMs, edition };
    later(done);
    return done;
  }

  const ageAt = (nowMs: number) => (known?.edition === edition ? nowMs - known.askedAtMs : Number.POSITIVE_INFINITY);

  return {
    get(later) {
      const nowMs = clock.nowMs();
      const ageMs = ageAt(nowMs);
      if (isWithin(ageMs, refreshAfterMs)) return known?.value;
      if (isWithin(nowMs - failedAtMs, RETRY_AFTER_MS)) return known?.value;
      const refreshed = refresh(nowMs, later);
      if (isWithin(ageMs, staleAfterMs)) return known?.value;
      return settledWithin(refreshed, known === undefined ? patience.readMs : patience.rereadMs).then(() => known?.value);
    },
    known: () => known?.value,
    isCurrent: () => {
      const isLastAnswer = loading === undefined && failedAtMs === Number.NEGATIVE_INFINITY;
      return known?.edition === edition && (isLastAnswer || isWithin(ageAt(clock.nowMs()), staleAfterMs));
    },
    expire: () => {
      edition++;
    },
  };
}

/** False for a time that lies ahead: the clock was set back, and nothing is known about the age. */
function isWithin(ageMs: number, limitMs: number): boolean {
  return ageMs >= 0 && ageMs < limitMs;
}

function settledWithin(work: Promise<void>, limitMs: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, limitMs);
    void work.finally(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}
