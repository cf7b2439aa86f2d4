import { describe, expect, it } from "vitest";
import { type Random, seededRandom } from "../../../kit/random.ts";
import { areEqual, type Bar, mergeUpward } from "./bar.ts";
import { type CandleFold, createCandleFold, type FoldedTrade } from "./candle-fold.ts";
import { candleOf } from "./candle-view.ts";
import { bucketEnd, bucketStart, FRAME_MS, FRAME_SOURCES, FRAMES, type Frame } from "./frames.ts";

const GRIDS: readonly [FoldedTrade["grid"], FoldedTrade["grid"]] = [
  { tickSteps: 100_000n, lotSteps: 1_000n },
  { tickSteps: 5n, lotSteps: 10n },
];
const START = Date.UTC(2026, 0, 30, 23, 59, 50);

/** Trades with pauses from nothing to weeks, a grid that changes, and sums beyond what a number holds. */
function randomTrades(random: Random, count: number): readonly FoldedTrade[] {
  let at = START;
  let grid: FoldedTrade["grid"] = GRIDS[0];
  return Array.from({ length: count }, (_, place) => {
    at += random.chance(0.7) ? random.between(0, 300) : random.between(0, random.pick([5_000, 90_000, 3e7, 9e8]));
    if (random.chance(0.02)) grid = random.pick(GRIDS);
    const ticks = random.between(1, 1_000_000);
    const lots = random.chance(0.05) ? Number.MAX_SAFE_INTEGER - random.between(0, 9) : random.between(1, 1_000);
    const value = BigInt(ticks) * BigInt(lots);
    return { number: place + 1, at, ticks, lots, value, takerSide: random.pick(["buy", "sell"]), grid };
  });
}

/** The bars of a frame, straight from the trades. */
function naiveBars(trades: readonly FoldedTrade[], frame: Frame): readonly Bar[] {
  const groups = Map.groupBy(trades, ({ at }) => bucketStart(frame, at));
  return [...groups].map(([openTime, group]) => {
    const prices = group.map(({ ticks, grid }) => BigInt(ticks) * grid.tickSteps);
    const sumOf = (of: (trade: FoldedTrade) => bigint) => group.reduce((sum, trade) => sum + of(trade), 0n);
    const baseOf = ({ lots, grid }: FoldedTrade) => BigInt(lots) * grid.lotSteps;
    const sorted = prices.toSorted((a, b) => (a < b ? -1 : 1));
    return {
      openTime,
      open: prices[0] ?? 0n,
      high: sorted.at(-1) ?? 0n,
      low: sorted[0] ?? 0n,
      close: prices.at(-1) ?? 0n,
      volume: sumOf(baseOf),
      quoteVolume: sumOf(({ value }) => value),
      trades: group.length,
      takerBuyVolume: sumOf((trade) => (trade.takerSide === "buy" ? baseOf(trade) : 0n)),
      takerBuyQuoteVolume: sumOf((trade) => (trade.takerSide === "buy" ? trade.value : 0n)),
      firstTrade: group[0]?.number ?? 0,
      lastTrade: group.at(-1)?.number ?? 0,
    };
  });
}

function createTaken(fold: CandleFold) {
  const bars = new Map(FRAMES.map((frame) => [frame, new Map<number, Bar>()]));
  return {
    bars,
    take() {
      for (const { frame, bar } of fold.takeChanged()) bars.get(frame)?.set(bar.openTime, bar);
    },
  };
}

describe("the candle fold", () => {
  it.each([1, 2, 3, 4, 5])("equals a sum over the trades in every frame, whenever it is read (seed %i)", (seed) => {
    const random = seededRandom(seed);
    const trades = randomTrades(random, 3_000);
    const fold = createCandleFold();
    const taken = createTaken(fold);
    for (const trade of trades) {
      fold.add(trade);
      if (random.chance(0.1)) taken.take();
    }
    taken.take();
    for (const frame of FRAMES) expect([...(taken.bars.get(frame)?.values() ?? [])]).toEqual(naiveBars(trades, frame));
  });

  it("continues from the newest bars where another fold ended", () => {
    const random = seededRandom(9);
    const trades = randomTrades(random, 2_000);
    const bars = new Map(FRAMES.map((frame) => [frame, new Map<number, Bar>()]));
    let fold = createCandleFold();
    for (const trade of trades) {
      fold.add(trade);
      if (!random.chance(0.05)) continue;
      for (const { frame, bar } of fold.takeChanged()) bars.get(frame)?.set(bar.openTime, bar);
      const known = [...bars].flatMap(([frame, all]): [Frame, Bar][] =>
        [...all.values()].slice(-1).map((b) => [frame, b]),
      );
      fold = createCandleFold(new Map(known));
    }
    for (const { frame, bar } of fold.takeChanged()) bars.get(frame)?.set(bar.openTime, bar);
    for (const frame of FRAMES) expect([...(bars.get(frame)?.values() ?? [])]).toEqual(naiveBars(trades, frame));
  });

  it("never changes a bar that it has handed out, and its bars' times never go back", () => {
    const fold = createCandleFold();
    const [first, second] = randomTrades(seededRandom(3), 2) as [FoldedTrade, FoldedTrade];
    fold.add(first);
    const before = fold.takeChanged().map(({ bar }) => [bar, { ...bar }] as const);
    fold.add({ ...second, at: first.at });
    const after = fold.takeChanged();
    for (const [handed, copy] of before) expect(areEqual(handed, copy)).toBe(true);
    expect(after.every(({ bar }) => bar.trades === 2)).toBe(true);
    expect(fold.takeChanged()).toEqual([]);
  });

  it("is the same when bars are merged from any finer frame", () => {
    const trades = randomTrades(seededRandom(12), 1_000);
    for (const frame of FRAMES) {
      const source = FRAME_SOURCES[frame];
      if (source === undefined) continue;
      const fromSource = mergeUpward(naiveBars(trades, source), (at) => bucketStart(frame, at));
      expect(fromSource).toEqual(naiveBars(trades, frame));
    }
  });
});

describe("a frame", () => {
  it("begins weeks on Monday, months on the first, and 3 days from 1970", () => {
    const at = Date.UTC(2026, 1, 15, 13, 47, 12, 345);
    const starts = (["1s", "10m", "8h", "1d", "3d", "1w", "1M"] as const).map((f) =>
      new Date(bucketStart(f, at)).toISOString(),
    );
    expect(starts).toEqual([
      "2026-02-15T13:47:12.000Z",
      "2026-02-15T13:40:00.000Z",
      "2026-02-15T08:00:00.000Z",
      "2026-02-15T00:00:00.000Z",
      "2026-02-15T00:00:00.000Z",
      "2026-02-09T00:00:00.000Z",
      "2026-02-01T00:00:00.000Z",
    ]);
    expect(bucketEnd("1M", Date.UTC(2028, 1, 1))).toBe(Date.UTC(2028, 2, 1));
    expect(bucketStart("1w", Date.UTC(1970, 0, 1))).toBe(Date.UTC(1969, 11, 29));
  });

  it("never has a bucket that crosses one of a frame made from it", () => {
    const random = seededRandom(4);
    for (const frame of FRAMES) {
      const source = FRAME_SOURCES[frame];
      for (let round = 0; source !== undefined && round < 2_000; round++) {
        const start = bucketStart(source, START + random.between(0, 4e10));
        expect(bucketStart(frame, start)).toBe(bucketStart(frame, bucketEnd(source, start) - 1));
        expect(bucketEnd(frame, bucketStart(frame, start)) - bucketStart(frame, start)).toBeLessThanOrEqual(
          FRAME_MS[frame],
        );
      }
    }
  });
});

it("a candle has the names that clients rely on, and is closed once the journal's time has passed its end", () => {
  const fold = createCandleFold();
  fold.add({ number: 7, at: START, ticks: 15_000, lots: 125, value: 187_500n, takerSide: "buy", grid: GRIDS[0] });
  const bar = fold.takeChanged().find(({ frame }) => frame === "1m")?.bar as Bar;
  const facts = { frame: "1m", scales: { baseScale: 8, quoteScale: 2 } } as const;
  const openTime = START - (START % 60_000);
  expect(candleOf(bar, { ...facts, journalAt: START })).toEqual({
    ...{ openTime, closeTime: openTime + 59_999, isClosed: false },
    ...{ open: "15000000", high: "15000000", low: "15000000", close: "15000000" },
    ...{ volume: "0.00125", quoteVolume: "1875", trades: 1, takerBuyVolume: "0.00125", takerBuyQuoteVolume: "1875" },
    ...{ firstTrade: 7, lastTrade: 7 },
  });
  expect(candleOf(bar, { ...facts, journalAt: openTime + 60_000 }).isClosed).toBe(true);
});
