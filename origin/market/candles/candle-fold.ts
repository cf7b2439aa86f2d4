import { type Bar, type MutableBar, merged, mergeInto } from "./bar.ts";
import { bucketStart, FRAME_SOURCES, FRAMES, type Frame, SECOND_MS } from "./frames.ts";

/**
 * Folds the trades of one pair into the bars of all frames: pure, exact, and about as fast as adding them up. Trades of
 * one second are summed as plain numbers; a closed bar is merged into the frames that it is the source of, so a trade
 * costs one sum and not one for each frame. Trades come in the order of their numbers, and their time never goes back.
 */
export type CandleFold = {
  readonly add: (trade: FoldedTrade) => void;
  /**
   * Every bar that has changed since the last call, complete and in absolute terms, each frame's in ascending order.
   * The last one of a frame may change again.
   */
  readonly takeChanged: () => readonly FrameBar[];
  /** The newest bar of a frame as of the last `takeChanged`. */
  readonly newest: (frame: Frame) => Bar | undefined;
};

export type FoldedTrade = {
  /** The pair's own number of the trade. */
  readonly number: number;
  readonly at: number;
  readonly ticks: number;
  readonly lots: number;
  /** In steps of the quote currency. */
  readonly value: bigint;
  readonly takerSide: "buy" | "sell";
  /** The same object for all trades of a grid. */
  readonly grid: GridSteps;
};

type GridSteps = { readonly tickSteps: bigint; readonly lotSteps: bigint };

export type FrameBar = { readonly frame: Frame; readonly bar: Bar };

/** The trades of one second and one grid, summed as numbers. */
type Segment = {
  second: number;
  grid: GridSteps;
  openTicks: number;
  highTicks: number;
  lowTicks: number;
  closeTicks: number;
  /** Never beyond what a number counts exactly. */
  lots: number;
  takerBuyLots: number;
  value: bigint;
  takerBuyValue: bigint;
  firstTrade: number;
  lastTrade: number;
};

const FRAMES_OF_SOURCE: readonly (readonly number[])[] = FRAMES.map((source) =>
  FRAMES.flatMap((frame, place) => (FRAME_SOURCES[frame] === source ? [place] : [])),
);

/** `known`: the newest bar of each frame, for a fold that continues where another one ended. */
export function createCandleFold(known: ReadonlyMap<Frame, Bar> = new Map()): CandleFold {
  /** Of each frame: the newest bar as it was handed out. */
  const bases: (Bar | undefined)[] = FRAMES.map((frame) => known.get(frame));
  /** Of each frame: the sum of closed source bars that are neither handed out nor merged upward yet. */
  const opens: (MutableBar | undefined)[] = FRAMES.map(() => undefined);
  let changed: FrameBar[] = [];
  let segment: Segment | undefined;

  function begin({ number, at, ticks, lots, value, takerSide, grid }: FoldedTrade): void {
    const isBuy = takerSide === "buy";
    segment = {
      second: at - (at % SECOND_MS),
      grid,
      openTicks: ticks,
      highTicks: ticks,
      lowTicks: ticks,
      closeTicks: ticks,
      lots,
      takerBuyLots: isBuy ? lots : 0,
      value,
      takerBuyValue: isBuy ? value : 0n,
      firstTrade: number,
      lastTrade: number,
    };
  }

  function spill(): void {
    if (segment === undefined) return;
    const bar = barOf(segment);
    segment = undefined;
    push(0, bar);
  }

  /** Adds a bar to a frame; one of a later bucket closes the bar before. */
  function push(place: number, bar: Bar): void {
    const openTime = bucketStart(FRAMES[place] as Frame, bar.openTime);
    const open = opens[place];
    if (open?.openTime === openTime) {
      mergeInto(open, bar);
      return;
    }
    handOut(place);
    opens[place] = { ...bar, openTime };
  }

  /** The sum of a frame becomes part of its newest bar and of the frames above. */
  function handOut(place: number): void {
    const open = opens[place];
    if (open === undefined) return;
    opens[place] = undefined;
    const base = bases[place];
    const bar = base?.openTime === open.openTime ? merged(base, open) : open;
    bases[place] = bar;
    changed.push({ frame: FRAMES[place] as Frame, bar });
    for (const above of FRAMES_OF_SOURCE[place] ?? []) push(above, open);
  }

  return {
    add(trade) {
      const { number, at, ticks, lots, value, takerSide, grid } = trade;
      if (
        segment === undefined ||
        at - segment.second >= SECOND_MS ||
        segment.grid !== grid ||
        segment.lots + lots > Number.MAX_SAFE_INTEGER
      ) {
        spill();
        begin(trade);
        return;
      }
      if (ticks > segment.highTicks) segment.highTicks = ticks;
      if (ticks < segment.lowTicks) segment.lowTicks = ticks;
      segment.closeTicks = ticks;
      segment.lots += lots;
      segment.value += value;
      if (takerSide === "buy") {
        segment.takerBuyLots += lots;
        segment.takerBuyValue += value;
      }
      segment.lastTrade = number;
    },
    takeChanged() {
      spill();
      // A frame comes after its source, so one pass brings everything to the top.
      for (let place = 0; place < FRAMES.length; place++) handOut(place);
      const taken = changed;
      changed = [];
      return taken;
    },
    newest: (frame) => bases[FRAMES.indexOf(frame)],
  };
}

function barOf({ second, grid, openTicks, highTicks, lowTicks, closeTicks, ...sums }: Segment): Bar {
  const priceOf = (ticks: number) => BigInt(ticks) * grid.tickSteps;
  const open = priceOf(openTicks);
  const close = closeTicks === openTicks ? open : priceOf(closeTicks);
  return {
    openTime: second,
    open,
    high: highTicks === openTicks ? open : priceOf(highTicks),
    low: lowTicks === openTicks ? open : priceOf(lowTicks),
    close,
    volume: BigInt(sums.lots) * grid.lotSteps,
    quoteVolume: sums.value,
    trades: sums.lastTrade - sums.firstTrade + 1,
    takerBuyVolume: BigInt(sums.takerBuyLots) * grid.lotSteps,
    takerBuyQuoteVolume: sums.takerBuyValue,
    firstTrade: sums.firstTrade,
    lastTrade: sums.lastTrade,
  };
}
