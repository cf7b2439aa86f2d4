import { seededRandom } from "../../../kit/random.ts";
import { createEngine, type Engine } from "../../../origin/engine/engine.ts";
import { assert } from "../../../shared/assert.ts";
import { type BenchmarkRow, benchmarkRow } from "../benchmark.ts";
import { AT_MS, PAIR } from "./engine-venue.ts";

/** The whole uncross of so many orders in the engine, changes taken after each slice as a leader does. */
export function auctionRows(effort: { readonly orders: number; readonly rounds: number }): readonly BenchmarkRow[] {
  const measured = Array.from({ length: effort.rounds }, () => uncrossOnce(effort.orders));
  const where = `an opening of ${effort.orders.toLocaleString("en")} orders`;
  // Other processes can only make it longer.
  const best = measured.reduce((one, other) => (other.totalMs < one.totalMs ? other : one));
  const longestMs = Math.min(...measured.map(({ longestMs: each }) => each));
  const whole = benchmarkRow({
    what: `${where}: the whole uncross, against 300 ms`,
    unit: "openings per second",
    aim: 1,
    subjectRounds: [1_000 / best.totalMs],
    baselineRounds: [1_000 / TOTAL_MS_MAX],
  });
  const slice = benchmarkRow({
    what: `${where}: the longest slice, against 20 ms`,
    unit: "slices per second",
    aim: 1,
    subjectRounds: [1_000 / longestMs],
    baselineRounds: [1_000 / SLICE_MS_MAX],
  });
  const notes = `${best.totalMs.toFixed(0)} ms, ${best.trades.toLocaleString("en")} trades in ${best.slices} slices`;
  return [
    { ...whole, notes },
    { ...slice, notes: `${longestMs.toFixed(2)} ms` },
  ];
}

const TOTAL_MS_MAX = 300;
/** 5,000 trades with their rows. */
const SLICE_MS_MAX = 20;
const USERS = 20_000;

type Uncross = {
  readonly totalMs: number;
  readonly longestMs: number;
  readonly slices: number;
  readonly trades: number;
};

function uncrossOnce(orders: number): Uncross {
  const engine = createEngine({ openOrdersMax: orders });
  const terms = openAuction(engine, orders);
  engine.apply({ ...HEAD, kind: "setPair", terms: { ...terms, state: "trading" } });
  engine.takeChanges();
  let [totalMs, longestMs, slices, trades] = [0, 0, 0, 0];
  while (engine.pair(PAIR)?.state !== "trading") {
    const startedMs = performance.now();
    engine.apply({ ...HEAD, kind: "tick" });
    const changes = engine.takeChanges();
    const tookMs = performance.now() - startedMs;
    totalMs += tookMs;
    longestMs = Math.max(longestMs, tookMs);
    slices++;
    trades += changes.trades.length;
  }
  assert(trades > orders / 4, "most orders of the opening trade");
  return { totalMs, longestMs, slices, trades };
}

const HEAD = { id: "0-0-0", at: AT_MS } as const;

/** Orders of both sides around one price, most of them crossing. */
function openAuction(engine: Engine, orders: number) {
  const random = seededRandom(18);
  engine.apply({ ...HEAD, kind: "setCurrency", currency: "btc", scale: 8 });
  engine.apply({ ...HEAD, kind: "setCurrency", currency: "idr", scale: 2 });
  const terms = {
    ...{ pair: PAIR, baseCurrency: "btc", quoteCurrency: "idr", tickSteps: 100_000n, lotSteps: 1_000n },
    ...{ valueStepsMin: 1n, makerFeePpm: 1_000, takerFeePpm: 2_000, bandPpm: 0, opensAt: 0, freezeMs: 0 },
    state: "auction",
  } as const;
  engine.apply({ ...HEAD, kind: "setPair", terms });
  for (let user = 0; user < USERS; user++)
    for (const currency of ["btc", "idr"])
      engine.apply({ ...HEAD, kind: "deposit", user: `u${user}`, currency, amount: 2n ** 46n, reference: "" });
  for (let order = 0; order < orders; order++) {
    const isBuy = random.chance(0.5);
    // Buyers and sellers are different users: an order that crosses an own one would be refused.
    const user = `u${2 * random.between(0, USERS / 2 - 1) + (isBuy ? 0 : 1)}`;
    const outcome = engine.apply({
      ...{ ...HEAD, kind: "place", user, pair: PAIR, grid: 1, side: isBuy ? "buy" : "sell", type: "limit" },
      ...{ ticks: random.between(900, 1_100) + (isBuy ? 60 : -60), lots: random.between(1, 20), quoteAmount: 0n },
      ...{ timeInForce: "GTC", postOnly: false, selfTrade: "cancelNewest", clientOrderId: "", openOrdersMax: 1_000 },
    });
    assert(outcome.kind === "order", "every order of the opening is accepted");
  }
  engine.takeChanges();
  return terms;
}
