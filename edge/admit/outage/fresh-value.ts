import type { Clock } from "../../../shared/clock.ts";
import type { Later } from "../../proxy/platform.ts";
import type { StorePatience } from "../../store/store-patience.ts";
import type { StoreSilence } from "./outage.ts";

/**
 * One value of the store, kept in the isolate. A young value is used as it is. An older one is used, and one request
 * reads it again after its response. One that is too old is read first, for a short time. While the store is silent no
 * request waits, and the last known value is used, whatever its age.
 *
 * Requests share the value and never each other's pending reads: workerd lets no request wait for the I/O of another
 * one, and a read is lost with the request that began it. A waiting request polls the value on its own timers, and
 * reads it when the reader has been silent for a while.
 */
export type FreshValue<Value> = {
  /** Undefined while nothing was ever read. Waits no longer than `withinMs`. */
  readonly get: (later: Later, withinMs?: number) => Value | undefined | Promise<Value | undefined>;
  readonly known: () => Value | undefined;
  /**
   * Whether what `get` gave last can say what is not there: it is young, or was read just now, however long that took.
   */
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
  readonly silence: StoreSilence;
};

/** A read that failed is not tried again for every visitor in the queue. */
const RETRY_AFTER_MS = 500;
/** How often a waiting request looks for the value: at first after a millisecond, then less and less often. */
const LOOK_EVERY_MS_MAX = 32;

/**
 * `number` counts the reads; `edition` counts how often the value was expired: a read that began before is not news.
 */
type Read = { readonly number: number; readonly atMs: number; readonly edition: number };

export function createFreshValue<Value>(options: FreshValueOptions<Value>): FreshValue<Value> {
  const { load, onFailure, clock, refreshAfterMs, staleAfterMs, patience, silence } = options;
  let edition = 0;
  let reads = 0;
  let failures = 0;
  let failedAtMs = Number.NEGATIVE_INFINITY;
  let known: (Read & { readonly value: Value }) | undefined;
  /** The last read that has not ended. Its request may be gone, so it counts for a short time only. */
  let reading: Read | undefined;

  async function readOnce(read: Read): Promise<void> {
    try {
      const value = await load(known?.value);
      // A slow answer to an older question does not replace a newer one.
      if (known === undefined || read.number > known.number) known = { ...read, value };
      failedAtMs = Number.NEGATIVE_INFINITY;
    } catch (error) {
      failures++;
      failedAtMs = clock.nowMs();
      onFailure(error);
    } finally {
      if (reading === read) reading = undefined;
    }
  }

  /**
   * A read by this request, unless another one started to read a moment ago. It continues when the client disconnects.
   */
  function readUnlessRead(later: Later): Promise<void> | undefined {
    const atMs = clock.nowMs();
    if (reading?.edition === edition && isWithin(atMs - reading.atMs, patience.readerMs)) return undefined;
    reading = { number: ++reads, atMs, edition };
    const done = readOnce(reading);
    later(done);
    return done;
  }

  /** Resolves when the value was read, when a read has failed, or when the time is over. */
  async function readFirst(later: Later, limitMs: number): Promise<Value | undefined> {
    const askedAtMs = clock.nowMs();
    const [knownBefore, failuresBefore] = [known, failures];
    const wait = startWait(limitMs);
    for (let pauseMs = 1; !wait.isOver(); pauseMs = Math.min(pauseMs * 2, LOOK_EVERY_MS_MAX)) {
      void readUnlessRead(later)?.then(wait.wake);
      await wait.pause(pauseMs);
      const isRead = known !== knownBefore && known?.edition === edition;
      if (!isRead && failures === failuresBefore) continue;
      wait.end();
      return known?.value;
    }
    silence.unanswered(askedAtMs);
    return known?.value;
  }

  const ageAt = (nowMs: number) => (known?.edition === edition ? nowMs - known.atMs : Number.POSITIVE_INFINITY);

  return {
    get(later, withinMs = Number.POSITIVE_INFINITY) {
      const nowMs = clock.nowMs();
      const ageMs = ageAt(nowMs);
      if (isWithin(ageMs, refreshAfterMs)) return known?.value;
      if (isWithin(nowMs - failedAtMs, RETRY_AFTER_MS)) return known?.value;
      if (!isWithin(ageMs, staleAfterMs) && !silence.isSilent() && withinMs > 0) {
        return readFirst(later, Math.min(withinMs, known === undefined ? patience.readMs : patience.rereadMs));
      }
      void readUnlessRead(later);
      return known?.value;
    },
    known: () => known?.value,
    isCurrent: () =>
      known?.edition === edition && (known.number === reads || isWithin(ageAt(clock.nowMs()), staleAfterMs)),
    expire: () => {
      edition++;
    },
  };
}

/** False for a time that lies ahead: the clock was set back, and nothing is known about the age. */
function isWithin(ageMs: number, limitMs: number): boolean {
  return ageMs >= 0 && ageMs < limitMs;
}

/** The time that one request may wait, in pauses that its own read ends early. */
function startWait(limitMs: number) {
  let isOver = false;
  let wake: () => void = ignore;
  const timer = setTimeout(() => {
    isOver = true;
    wake();
  }, limitMs);
  return {
    isOver: () => isOver,
    wake: () => wake(),
    end: () => clearTimeout(timer),
    pause: (pauseMs: number) =>
      new Promise<void>((resolve) => {
        wake = resolve;
        setTimeout(resolve, pauseMs);
      }),
  };
}

function ignore(): void {}
