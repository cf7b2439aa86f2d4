import { assert } from "../../../shared/assert.ts";
import type { Bar } from "../candles/bar.ts";
import { bucketStart, MINUTE_MS } from "../candles/frames.ts";

/**
 * The last 24 hours of one pair, exact by the minute: 1,440 closed minutes and the open one. Sums move with each
 * minute that enters or leaves; the highest and the lowest price are the heads of two queues that hold only minutes
 * which can still become the extreme. So a step costs the same however many minutes traded.
 */
export type DayWindow = {
  /** Minutes in ascending order; the newest one again when it has changed. */
  readonly put: (minute: Bar) => void;
  /** Minutes that are too old for this time leave; time never goes back. */
  readonly moveTo: (at: number) => void;
  /** Undefined when the pair has not traded in the window. */
  readonly read: () => DayFigures | undefined;
  /** The price of the last trade ever; undefined before the first. */
  readonly lastPrice: () => bigint | undefined;
  /** When the oldest minute of the window began. */
  readonly oldest: () => number | undefined;
};

export type DayFigures = Pick<Bar, "open" | "high" | "low" | "close" | "volume" | "quoteVolume" | "trades">;

const WINDOW_MINUTES = 1_440;

/** The oldest minute that counts at a time. */
export function windowStart(at: number): number {
  return bucketStart("1m", at) - WINDOW_MINUTES * MINUTE_MS;
}

/** `lastPrice` is known also when no minute of the window is. */
export function createDayWindow(lastPrice?: bigint): DayWindow {
  const minutes = createQueue<Bar>();
  const highs = createQueue<Bar>();
  const lows = createQueue<Bar>();
  const sums = { volume: 0n, quoteVolume: 0n, trades: 0 };
  let last = lastPrice;

  function count({ volume, quoteVolume, trades }: Bar, sign: 1 | -1): void {
    sums.volume += BigInt(sign) * volume;
    sums.quoteVolume += BigInt(sign) * quoteVolume;
    sums.trades += sign * trades;
  }

  function dropNewest(minute: Bar): void {
    minutes.dropLast();
    count(minute, -1);
    for (const queue of [highs, lows]) if (queue.last() === minute) queue.dropLast();
  }

  function dropOldest(minute: Bar): void {
    minutes.dropFirst();
    count(minute, -1);
    for (const queue of [highs, lows]) if (queue.first() === minute) queue.dropFirst();
  }

  return {
    put(minute) {
      const newest = minutes.last();
      if (newest?.openTime === minute.openTime) dropNewest(newest);
      assert(newest === undefined || newest.openTime <= minute.openTime, "minutes come in ascending order");
      minutes.add(minute);
      count(minute, 1);
      for (let end = highs.last(); end !== undefined && end.high <= minute.high; end = highs.last()) highs.dropLast();
      for (let end = lows.last(); end !== undefined && end.low >= minute.low; end = lows.last()) lows.dropLast();
      highs.add(minute);
      lows.add(minute);
      last = minute.close;
    },
    moveTo(at) {
      const start = windowStart(at);
      for (let first = minutes.first(); first !== undefined && first.openTime < start; first = minutes.first())
        dropOldest(first);
    },
    read() {
      const [first, newest, highest, lowest] = [minutes.first(), minutes.last(), highs.first(), lows.first()];
      if (first === undefined || newest === undefined || highest === undefined || lowest === undefined)
        return undefined;
      return { open: first.open, high: highest.high, low: lowest.low, close: newest.close, ...sums };
    },
    lastPrice: () => last,
    oldest: () => minutes.first()?.openTime,
  };
}

type Queue<Item> = {
  readonly add: (item: Item) => void;
  readonly first: () => Item | undefined;
  readonly last: () => Item | undefined;
  readonly dropFirst: () => void;
  readonly dropLast: () => void;
};

/** A list that also shrinks at its head; the space of what has left is released once it is half of the list. */
function createQueue<Item>(): Queue<Item> {
  let items: Item[] = [];
  let head = 0;
  const last = () => (items.length > head ? items.at(-1) : undefined);
  return {
    add: (item) => void items.push(item),
    first: () => items[head],
    last,
    dropFirst() {
      head++;
      if (head * 2 <= items.length) return;
      items = items.slice(head);
      head = 0;
    },
    dropLast: () => void items.pop(),
  };
}
