import type { BookData, BookLevel, ChannelMessage } from "./messages.ts";

/**
 * A pair's book as a reader keeps it: a snapshot, then updates in the order of `prev`. An update that does not follow
 * is refused, so the book is never wrong: it is the venue's book at `seq`, down to `depth` prices of each side.
 */
export type LiveBook = {
  /** False for an update that does not follow from the last message: resume from `position`. */
  readonly apply: (message: ChannelMessage) => boolean;
  /** The best price first. */
  readonly bids: () => readonly BookLevel[];
  readonly asks: () => readonly BookLevel[];
  /** Undefined before the first snapshot. */
  readonly position: () => { readonly epoch: string; readonly seq: number; readonly at: number } | undefined;
};

type Side = {
  readonly set: (level: BookLevel) => void;
  readonly cut: (depth: number) => void;
  readonly levels: () => readonly BookLevel[];
};

export function createLiveBook(): LiveBook {
  let bids = createSide(-1);
  let asks = createSide(1);
  let depth = Number.POSITIVE_INFINITY;
  let position: { readonly epoch: string; readonly seq: number; readonly at: number } | undefined;

  return {
    apply({ type, epoch, seq, prev, data }) {
      const { bids: bidLevels, asks: askLevels, at, ...rest } = data as BookData;
      if (type !== "update") {
        bids = createSide(-1);
        asks = createSide(1);
        depth = rest.depth ?? depth;
      } else if (position === undefined || position.epoch !== epoch || position.seq !== prev) return false;
      for (const level of bidLevels) bids.set(level);
      for (const level of askLevels) asks.set(level);
      bids.cut(depth);
      asks.cut(depth);
      position = { epoch, seq, at };
      return true;
    },
    bids: () => bids.levels(),
    asks: () => asks.levels(),
    position: () => position,
  };
}

/** Levels by price, sorted when they are read or cut. */
function createSide(sign: 1 | -1): Side {
  const levels = new Map<string, BookLevel>();
  let sorted: BookLevel[] | undefined;

  function inOrder(): BookLevel[] {
    sorted ??= [...levels.values()].sort((first, second) => sign * compareDecimals(first[0], second[0]));
    return sorted;
  }

  return {
    set(level) {
      sorted = undefined;
      if (level[1] === "0") levels.delete(level[0]);
      else levels.set(level[0], level);
    },
    cut(depth) {
      if (levels.size <= depth) return;
      for (const [price] of inOrder().slice(depth)) levels.delete(price);
      sorted = sorted?.slice(0, depth);
    },
    levels: inOrder,
  };
}

/** Exact for any number of digits: prices may exceed what a number holds. */
function compareDecimals(first: string, second: string): number {
  const [wholeOfFirst = "", partOfFirst = ""] = first.split(".");
  const [wholeOfSecond = "", partOfSecond = ""] = second.split(".");
  if (wholeOfFirst.length !== wholeOfSecond.length) return wholeOfFirst.length - wholeOfSecond.length;
  if (wholeOfFirst !== wholeOfSecond) return wholeOfFirst < wholeOfSecond ? -1 : 1;
  if (partOfFirst === partOfSecond) return 0;
  return partOfFirst < partOfSecond ? -1 : 1;
}
