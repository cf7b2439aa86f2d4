/** Reads again and again until it is stopped. */
export type Poller = { readonly wake: () => void; readonly stop: () => void };

type PollerOptions<Value> = {
  readonly read: () => Promise<Value>;
  readonly everyMs: number;
  readonly onValue: (value: Value) => void;
  readonly onError: (error: Error) => void;
};

const BACKOFF_MS_MAX = 30_000;

/**
 * With a pause after each answer: a slow edge is not asked faster than it answers. Nothing is asked while the page is
 * hidden, and a failure makes the pauses longer.
 */
export function startPoller<Value>({ read, everyMs, onValue, onError }: PollerOptions<Value>): Poller {
  let isOver = false;
  let isReading = false;
  /** A refresh was requested while a read was under way: that read may be older than the operator's change. */
  let isAskedAgain = false;
  let pauseMs = everyMs;
  let timer: ReturnType<typeof setTimeout> | undefined;

  async function readOnce(): Promise<void> {
    try {
      const value = await read();
      pauseMs = everyMs;
      if (!isOver) onValue(value);
    } catch (error) {
      pauseMs = Math.min(pauseMs * 2, Math.max(everyMs, BACKOFF_MS_MAX));
      if (!isOver) onError(error instanceof Error ? error : new Error(String(error)));
    }
  }

  async function turn(): Promise<void> {
    clearTimeout(timer);
    isAskedAgain = isReading;
    if (isReading || isOver || document.hidden) return;
    isReading = true;
    await readOnce();
    isReading = false;
    if (isAskedAgain) wake();
    else if (!isOver) timer = setTimeout(wake, pauseMs);
  }

  function wake(): void {
    void turn();
  }

  function stop(): void {
    isOver = true;
    clearTimeout(timer);
    document.removeEventListener("visibilitychange", wake);
  }

  document.addEventListener("visibilitychange", wake);
  wake();
  return { wake, stop };
}
