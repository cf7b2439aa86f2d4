import type { Grid } from "../instruments/grid.ts";
import type { Write } from "../state/writes.ts";
import type { Bar } from "./candles/bar.ts";
import { barText } from "./candles/bar-text.ts";
import { createCandleFold, type FrameBar } from "./candles/candle-fold.ts";
import { bucketEnd, DAY_MS, type Frame, HOUR_MS, SECOND_MS } from "./candles/frames.ts";
import { NO_TRADES, numbersAfter, type TradeNumbers } from "./candles/trade-numbers.ts";
import { candlesKey, dayOf } from "./keys.ts";
import type { MarketTrade } from "./market-trade.ts";
import { createPairDay, type PairDay } from "./summary/pair-day.ts";

/** The market of one pair in memory: its trade numbers, its newest bars and its last 24 hours. */
export type PairMarket = {
  readonly pair: string;
  readonly absorb: (trade: MarketTrade, grid: Grid) => void;
  readonly hasChanged: () => boolean;
  /** The commands that bring Redis from the last call's state to this one. */
  readonly takeWrites: () => readonly Write[];
  readonly state: () => PairState;
  readonly day: PairDay;
};

/** As in Redis, in `v1:{t0}:market:pairs`. */
export type PairState = TradeNumbers & {
  /** Of the last trade: its id in the journal and its time. */
  readonly lastId: number;
  readonly lastAt: number;
  /** In steps of the quote currency. */
  readonly lastPrice: bigint;
};

export type LoadedPair = {
  readonly state: PairState;
  readonly newest: ReadonlyMap<Frame, Bar>;
  /** Of the last day and a bit, ascending. */
  readonly minutes: readonly Bar[];
  /** Seconds that Redis holds. */
  readonly seconds: readonly number[];
};

/** How long Redis holds bars after their end. */
export const HOT_DAYS = 30;
/** Seconds would take a gigabyte per pair in 30 days. */
export const HOT_SECONDS_MS = HOUR_MS;

const NEW_PAIR: LoadedPair = {
  state: { ...NO_TRADES, lastId: 0, lastAt: 0, lastPrice: 0n },
  newest: new Map(),
  minutes: [],
  seconds: [],
};

export function createPairMarket(pair: string, loaded: LoadedPair = NEW_PAIR): PairMarket {
  const fold = createCandleFold(loaded.newest);
  const day = createPairDay(loaded.state.trades === 0 ? undefined : loaded.state.lastPrice);
  for (const minute of loaded.minutes) day.put(minute);
  /** Keys whose expiry this process has set. */
  let expiring = new Set<string>();
  let seconds = [...loaded.seconds];
  let state = loaded.state;
  let grid: Grid | undefined;
  let hasChanged = false;

  /** Of a rebuild, bars that Redis would drop at once are not written. */
  const isHot = ({ frame, bar }: FrameBar) =>
    frame === "1s"
      ? bar.openTime >= state.lastAt - HOT_SECONDS_MS
      : bucketEnd(frame, bar.openTime) >= state.lastAt - HOT_DAYS * DAY_MS;

  function barWrites(changed: readonly FrameBar[], scales: Grid): Write[] {
    const byKey = new Map<string, Write>();
    const expiries: Write[] = [];
    for (const { frame, bar } of changed) {
      const key = candlesKey(pair, frame, dayOf(bar.openTime));
      let write = byKey.get(key);
      if (write === undefined) {
        write = ["HSET", key];
        byKey.set(key, write);
        if (!expiring.has(key)) expiries.push(["EXPIREAT", key, expiryOf(frame, bar.openTime)]);
        expiring.add(key);
      }
      write.push(bar.openTime, barText(bar, scales));
      if (frame === "1s" && bar.openTime !== seconds.at(-1)) seconds.push(bar.openTime);
    }
    return [...byKey.values(), ...expiries];
  }

  /** Seconds leave Redis an hour later; a whole day of them would be 15 MB. */
  function secondsWrites(): Write[] {
    const oldest = seconds[0];
    if (oldest === undefined || oldest >= state.lastAt - HOT_SECONDS_MS - SECOND_MS * SECONDS_PER_CUT) return [];
    const from = state.lastAt - HOT_SECONDS_MS;
    const left = seconds.filter((second) => second < from);
    seconds = seconds.filter((second) => second >= from);
    const byDay = Map.groupBy(left, dayOf);
    return [...byDay].map(([of, all]) => ["HDEL", candlesKey(pair, "1s", of), ...all]);
  }

  return {
    pair,
    day,
    hasChanged: () => hasChanged,
    state: () => state,
    absorb(trade, ofTrade) {
      const numbers = numbersAfter(state, trade);
      state = { ...numbers, lastId: trade.id, lastAt: trade.at, lastPrice: BigInt(trade.ticks) * ofTrade.tickSteps };
      grid = ofTrade;
      hasChanged = true;
      const { at, ticks, lots, value, takerSide } = trade;
      fold.add({ number: numbers.trades, at, ticks, lots, value, takerSide, grid: ofTrade });
    },
    takeWrites() {
      if (!hasChanged || grid === undefined) return [];
      hasChanged = false;
      const changed = fold.takeChanged();
      for (const { frame, bar } of changed) if (frame === "1m") day.put(bar);
      if (expiring.size > EXPIRING_MAX) expiring = new Set();
      return [...barWrites(changed.filter(isHot), grid), ...secondsWrites()];
    },
  };
}

const SECONDS_PER_CUT = 60;
/** Frames times days, and some more. */
const EXPIRING_MAX = 2_000;

/** In seconds since 1970: when the last bar of the key's day has ended, and then the retention. */
function expiryOf(frame: Frame, openTime: number): number {
  const nextDay = (dayOf(openTime) + 1) * DAY_MS;
  const keptMs = frame === "1s" ? HOT_SECONDS_MS : (HOT_DAYS + 1) * DAY_MS;
  return Math.ceil((Math.max(nextDay, bucketEnd(frame, openTime)) + keptMs) / SECOND_MS);
}
