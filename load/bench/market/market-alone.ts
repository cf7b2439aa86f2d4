import { seededRandom } from "../../../kit/random.ts";
import { createCandleFold, type FoldedTrade } from "../../../origin/market/candles/candle-fold.ts";
import { chartSvg } from "../../../origin/market/charts/chart-svg.ts";
import { createChartDrawer } from "../../../origin/market/charts/draw-charts.ts";
import { assert } from "../../../shared/assert.ts";
import { type BenchmarkRow, benchmarkRow } from "../benchmark.ts";
import type { MarketEffort } from "./market.ts";

/** Trades per second that one thread must fold. */
const FOLD_AIM = 1_000_000;
const CHART_MS_AIM = 30;
const START = Date.UTC(2026, 0, 1);
export const GRID = {
  ...{ pair: "btcidr", grid: 1, baseCurrency: "btc", quoteCurrency: "idr", baseScale: 8, quoteScale: 2 },
  ...{ tickSteps: 100_000n, lotSteps: 1_000n },
};

/** Dense trades, and one trade per second: then every trade makes a bar. */
export function measureFold({ trades, rounds }: MarketEffort): readonly BenchmarkRow[] {
  return [1, 1_000].map((gapMs) => {
    const made = madeTrades(trades, gapMs);
    return benchmarkRow({
      what: `all frames folded exactly, ${gapMs === 1 ? "a thousand trades" : "one trade"} per second of the market, against 1,000,000 trades/s`,
      unit: "trades/s",
      aim: 1,
      subjectRounds: Array.from({ length: rounds }, () => foldedPerSecond(made)),
      baselineRounds: [FOLD_AIM],
    });
  });
}

function foldedPerSecond(trades: readonly FoldedTrade[]): number {
  const fold = createCandleFold();
  const start = performance.now();
  let bars = 0;
  for (const [place, trade] of trades.entries()) {
    fold.add(trade);
    if (place % 10_000 === 0) bars += fold.takeChanged().length;
  }
  bars += fold.takeChanged().length;
  assert(bars > 17 && fold.newest("1M")?.lastTrade === trades.length, "every trade was folded");
  return (trades.length * 1_000) / (performance.now() - start);
}

function madeTrades(count: number, gapMs: number): readonly FoldedTrade[] {
  const random = seededRandom(7);
  return Array.from({ length: count }, (_, place) => {
    const ticks = random.between(1_000_000, 1_010_000);
    const lots = random.between(1, 5_000);
    const side = random.chance(0.5) ? "buy" : "sell";
    return {
      number: place + 1,
      at: START + place * gapMs,
      ticks,
      lots,
      value: BigInt(ticks * lots),
      takerSide: side,
      grid: GRID,
    };
  });
}

export async function measureCharts({ charts }: MarketEffort): Promise<BenchmarkRow> {
  const drawer = createChartDrawer();
  const rows = Array.from({ length: 120 }, (_, place) => {
    const price = 1_000 + 100 * Math.sin(place / 9);
    const text = [price, price + 20, price - 20, price + 5, place + 1, 1, 1, 1, 1, 1, 1].join();
    return { openTime: START + place * 60_000, closeTime: 0, text, isClosed: true };
  });
  const took: number[] = [];
  for (let place = 0; place <= charts; place++) {
    const start = performance.now();
    const size = { width: 800, height: 400 + (place % 2) };
    const svg = chartSvg({ pair: GRID, frame: "1m", rows, ...size, theme: "light", language: "fa", averages: [7, 25] });
    const drawn = await drawer.draw(svg);
    assert(drawn.ok, "a chart was drawn");
    took.push(performance.now() - start);
  }
  await drawer.stop();
  const [first = 0, ...later] = took;
  return {
    ...benchmarkRow({
      what: `a chart image with Persian labels, against ${CHART_MS_AIM} ms`,
      unit: "1/ms",
      aim: 1,
      subjectRounds: later.map((ms) => 1 / ms),
      baselineRounds: [1 / CHART_MS_AIM],
    }),
    notes: `the first one took ${Math.round(first)} ms`,
  };
}
