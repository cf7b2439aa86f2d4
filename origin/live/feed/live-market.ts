import type { TradeRow } from "../../engine/changes.ts";
import type { Grid } from "../../instruments/grid.ts";
import type { Grids } from "../../instruments/grids.ts";
import type { Bar } from "../../market/candles/bar.ts";
import { createCandleFold } from "../../market/candles/candle-fold.ts";
import { bucketStart, FRAMES, type Frame } from "../../market/candles/frames.ts";
import { NO_TRADES, numbersAfter, type TradeNumbers } from "../../market/candles/trade-numbers.ts";
import type { LoadedPair } from "../../market/pair-market.ts";
import { createPairDay, type PairDay } from "../../market/summary/pair-day.ts";

/** A pair's newest bars and its last 24 hours, folded from the same trades in the same way as the market projection. */
export type LivePairMarket = {
  readonly absorb: (sequence: number, trade: TradeRow) => void;
  /** The entry of the last trade. */
  readonly sequence: () => number;
  /** Bars of a frame that have changed after an entry, ascending; undefined when some are no longer held. */
  readonly changedSince: (frame: Frame, sequence: number) => readonly Bar[] | undefined;
  readonly newest: (frame: Frame, count: number) => readonly Bar[];
  /** With every trade so far. */
  readonly day: () => PairDay;
};

type HeldBar = { bar: Bar; sequence: number };

/** Of each frame: a reader that is further behind reads `GET /market/{pair}/candles`. */
const BARS_HELD_MAX = 60;

type MarketParts = { readonly grids: Grids; readonly from: number; readonly loaded: LoadedPair | undefined };

export function createLivePairMarket({ grids, from, loaded }: MarketParts): LivePairMarket {
  const fold = createCandleFold(loaded?.newest);
  const day = createPairDay(loaded === undefined || loaded.state.trades === 0 ? undefined : loaded.state.lastPrice);
  for (const minute of loaded?.minutes ?? []) day.put(minute);
  const held = new Map<Frame, HeldBar[]>(FRAMES.map((frame) => [frame, firstBars(loaded?.newest.get(frame), from)]));
  const droppedUpTo = new Map<Frame, number>();
  let numbers: TradeNumbers = loaded?.state ?? NO_TRADES;
  let lastId = loaded?.state.lastId ?? 0;
  let sequence = from;
  let isStale = false;
  let minute = 0;

  function put(frame: Frame, bar: Bar): void {
    const bars = held.get(frame) ?? [];
    const last = bars.at(-1);
    if (last?.bar.openTime === bar.openTime) Object.assign(last, { bar, sequence });
    else bars.push({ bar, sequence });
    if (bars.length <= BARS_HELD_MAX) return;
    droppedUpTo.set(frame, bars.shift()?.sequence ?? 0);
  }

  /** Brings the bars up to the last trade: once for all channels of the pair. */
  function sync(): void {
    if (!isStale) return;
    isStale = false;
    for (const { frame, bar } of fold.takeChanged()) {
      if (frame === "1m") day.put(bar);
      put(frame, bar);
    }
  }

  return {
    absorb(entry, trade) {
      // The market was read at another moment than the books.
      if (trade.id <= lastId) return;
      lastId = trade.id;
      // Without readers too: otherwise the bars of every second would pile up in the fold.
      if (bucketStart("1m", trade.at) !== minute) sync();
      minute = bucketStart("1m", trade.at);
      isStale = true;
      numbers = numbersAfter(numbers, trade);
      sequence = Math.max(sequence, entry);
      const { at, ticks, lots, value, takerSide } = trade;
      const grid: Grid = grids.of(trade.pair, trade.grid);
      fold.add({ number: numbers.trades, at, ticks, lots, value, takerSide, grid });
    },
    sequence: () => sequence,
    changedSince(frame, after) {
      sync();
      if (after < Math.max(from, droppedUpTo.get(frame) ?? 0)) return undefined;
      return (held.get(frame) ?? []).filter((one) => one.sequence > after).map(({ bar }) => bar);
    },
    newest(frame, count) {
      sync();
      return (held.get(frame) ?? []).slice(-count).map(({ bar }) => bar);
    },
    day() {
      sync();
      return day;
    },
  };
}

function firstBars(bar: Bar | undefined, sequence: number): HeldBar[] {
  return bar === undefined ? [] : [{ bar, sequence }];
}
