import { useEffect, useRef, useState } from "preact/hooks";
import { systemClock } from "../../../../shared/clock.ts";
import { type Poller, startPoller } from "./poller.ts";

export type Polled<Value> = {
  readonly value: Value | undefined;
  /** Of the last try, if it failed; what was read before stays. */
  readonly error: Error | undefined;
  readonly readAtMs: number;
  readonly refresh: () => void;
};

type Reading<Value> = Omit<Polled<Value>, "refresh">;

const NOTHING = { value: undefined, error: undefined, readAtMs: 0 };

/** Something that is read again and again while it is shown. Another `key` is another thing to read. */
export function usePoll<Value>(key: string, read: () => Promise<Value>, everyMs: number): Polled<Value> {
  const [reading, setReading] = useState<Reading<Value>>(NOTHING);
  const latestRead = useRef(read);
  latestRead.current = read;
  const poller = useRef<Poller>(undefined);

  useEffect(() => {
    setReading(NOTHING);
    const started = startPoller({
      read: () => latestRead.current(),
      everyMs,
      onValue: (value) => setReading({ value, error: undefined, readAtMs: systemClock.nowMs() }),
      onError: (error) => setReading((before) => ({ ...before, error })),
    });
    poller.current = started;
    return started.stop;
  }, [key, everyMs]);

  return { ...reading, refresh: () => poller.current?.wake() };
}
