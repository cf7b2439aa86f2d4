import { describe, expect, it } from "vitest";
import { type Desk, openDesk, rejected } from "../../../kit/engine/desk.ts";
import { type Random, seededRandom } from "../../../kit/random.ts";
import type { Changes } from "../changes.ts";
import { createEngine, type Engine } from "../engine.ts";
import type { EngineBounds } from "../limits.ts";
import type { AuctionResult, AuctionRow, ListedOrder } from "./auction.ts";
import { type Clearing, clearingOf, levelsOf } from "./clearing-price.ts";

const OPEN_IN_MS = 60_000;
const NOW_MS = 1_790_000_000_000;
const BAND = { bandPpm: 200_000 } as const;

function openAuction(options: Parameters<typeof openDesk>[0] = {}) {
  const desk = openDesk(options);
  return {
    ...desk,
    begin: (schedule: { opensAt?: number; freezeMs?: number } = {}) =>
      desk.configure({ state: "auction", ...schedule }),
    ring: () => desk.configure({ state: "trading" }),
    tick: () => desk.apply({ kind: "tick" }),
  };
}

type Auction = ReturnType<typeof openAuction>;

/** Ticks until the pair trades; returns the changes of each tick. */
function untilTrading({ engine, tick }: Auction): readonly Changes[] {
  const slices: Changes[] = [];
  while (engine.pair("gemidr")?.state !== "trading") {
    tick();
    slices.push(engine.takeChanges());
    if (slices.length > 10_000) throw new Error("the pair does not open");
  }
  return slices;
}

const eventsOf = (slices: readonly Changes[]): readonly AuctionRow[] => slices.flatMap(({ auctions = [] }) => auctions);

function resultOf(slices: readonly Changes[]): AuctionResult {
  const result = eventsOf(slices).find((row) => row.kind === "result");
  if (result === undefined) throw new Error("the auction has no result");
  return result;
}

const listedIn = (slices: readonly Changes[]): readonly ListedOrder[] =>
  eventsOf(slices).flatMap((row) => (row.kind === "orders" ? row.orders : []));

describe("an auction", () => {
  it("collects orders that cross, and trades them at one price with both fees as maker", () => {
    const desk = openAuction({ terms: { makerFeePpm: 10_000, takerFeePpm: 500_000 } });
    desk.begin();
    const buy = desk.placed("ann", "buy", { ticks: 110, lots: 100 });
    const sell = desk.placed("bob", "sell", { ticks: 90, lots: 60 });
    expect([buy.status, sell.status]).toEqual(["open", "open"]);
    expect(desk.frozen("ann", "idr")).toBe(11_000n);
    desk.ring();
    const [{ trades } = { trades: [] }] = untilTrading(desk);
    expect(trades).toMatchObject([{ ticks: 110, lots: 60, auction: 1, buyFee: 1n, sellFee: 66n, takerSide: "sell" }]);
    expect(desk.engine.order(buy.id)).toMatchObject({ filledLots: 60, status: "partiallyFilled" });
    expect(desk.frozen("ann", "idr")).toBe(4_400n);
    expect(desk.engine.pair("gemidr")).toMatchObject({ state: "trading", lastTicks: 110, opensAt: 0 });
    expect(desk.engine.verify()).toEqual([]);
  });

  it("gives a buyer back what the price did not need", () => {
    const desk = openAuction();
    desk.begin();
    desk.place("ann", "buy", { ticks: 120, lots: 10 });
    desk.place("cid", "sell", { ticks: 100, lots: 10 });
    desk.place("bob", "sell", { ticks: 101, lots: 5 });
    const before = desk.available("ann", "idr") + desk.frozen("ann", "idr");
    desk.ring();
    untilTrading(desk);
    expect([desk.available("ann", "idr"), desk.frozen("ann", "idr")]).toEqual([before - 1_000n, 0n]);
  });

  it("fills by price, then time", () => {
    const desk = openAuction();
    desk.begin();
    const cheap = desk.placed("ann", "buy", { ticks: 100, lots: 5 });
    const first = desk.placed("ann", "buy", { ticks: 105, lots: 5 });
    const second = desk.placed("cid", "buy", { ticks: 105, lots: 5 });
    desk.place("bob", "sell", { ticks: 100, lots: 8 });
    desk.ring();
    untilTrading(desk);
    const filled = [first, second, cheap].map(({ id }) => desk.engine.order(id)?.filledLots ?? "all");
    expect(filled).toEqual(["all", 3, 0]);
  });

  it("opens at its time and not before, by the engine's clock", () => {
    const desk = openAuction();
    desk.begin({ opensAt: NOW_MS + OPEN_IN_MS });
    desk.place("ann", "buy", { ticks: 100, lots: 5 });
    desk.place("bob", "sell", { ticks: 100, lots: 5 });
    desk.wait(OPEN_IN_MS - 1);
    desk.tick();
    expect(desk.engine.pair("gemidr")).toMatchObject({ state: "auction", lastTicks: 0 });
    desk.wait(1);
    expect(desk.place("ann", "buy", { ticks: 100, lots: 5 })).toEqual(rejected("pair_opening"));
    desk.tick();
    expect(desk.engine.pair("gemidr")).toMatchObject({ state: "trading", lastTicks: 100 });
  });

  it("accepts orders in the freeze, and lets none go", () => {
    const desk = openAuction();
    desk.begin({ opensAt: NOW_MS + OPEN_IN_MS, freezeMs: 10_000 });
    const one = desk.placed("ann", "buy", { ticks: 100, lots: 5 });
    const other = desk.placed("ann", "buy", { ticks: 100, lots: 6 });
    desk.wait(OPEN_IN_MS - 10_001);
    expect(desk.cancel("ann", one.id)).toMatchObject({ kind: "cancelled" });
    desk.wait(1);
    expect(desk.cancel("ann", other.id)).toEqual(rejected("auction_frozen"));
    expect(desk.apply({ kind: "cancelAll", user: "ann", pair: "gemidr" })).toEqual(rejected("auction_frozen"));
    expect(desk.apply({ kind: "cancelAll", user: "ann", pair: "" })).toMatchObject({ orders: [], hasMore: false });
    expect(desk.place("bob", "sell", { ticks: 100, lots: 5 })).toMatchObject({ kind: "order" });
  });

  it("fills market orders first, and cancels what is left of them and of immediate orders", () => {
    const desk = openAuction({ terms: BAND });
    desk.place("ann", "buy", { ticks: 100, lots: 1 });
    desk.place("bob", "sell", { ticks: 100, lots: 1 });
    desk.begin();
    const limit = desk.placed("ann", "buy", { ticks: 110, lots: 5 });
    const immediate = desk.placed("ann", "buy", { ticks: 100, lots: 5, timeInForce: "IOC" });
    const market = desk.placed("cid", "buy", { lots: 7 });
    expect(market).toMatchObject({ type: "market", ticks: 120, status: "open" });
    expect(desk.frozen("cid", "idr")).toBe(840n);
    desk.place("bob", "sell", { ticks: 105, lots: 4 });
    desk.ring();
    const slices = untilTrading(desk);
    const last = slices.flatMap(({ orders }) => orders);
    expect(last.find(({ id }) => id === market.id)).toMatchObject({
      filledLots: 4,
      status: "cancelled",
      cancelReason: "noLiquidity",
    });
    expect(last.find(({ id }) => id === immediate.id)).toMatchObject({ cancelReason: "immediateOrCancel" });
    expect(desk.engine.order(limit.id)).toMatchObject({ status: "open", filledLots: 0 });
    expect(desk.frozen("cid", "idr")).toBe(0n);
    expect(desk.engine.verify()).toEqual([]);
  });

  it("refuses what has no meaning before an opening, and changes nothing", () => {
    const desk = openAuction({ terms: BAND });
    desk.begin({ opensAt: NOW_MS + OPEN_IN_MS });
    const before = desk.engine.stateHash();
    const refused = [
      desk.place("ann", "buy", { ticks: 100, lots: 5, timeInForce: "FOK" }),
      desk.place("ann", "buy", { quoteAmount: 500n }),
      desk.place("ann", "buy", { lots: 5 }),
      desk.configure({ state: "auction", opensAt: NOW_MS, freezeMs: 0 }),
      desk.configure({ state: "auction", opensAt: NOW_MS + OPEN_IN_MS, freezeMs: -1 }),
      desk.configure({ state: "trading", opensAt: NOW_MS + OPEN_IN_MS }),
      desk.configure({ state: "auction", opensAt: NOW_MS + OPEN_IN_MS, bandPpm: 1 }),
    ];
    expect(refused.map((outcome) => (outcome.kind === "rejected" ? outcome.code : outcome.kind))).toEqual([
      "auction_order_unsupported",
      "auction_order_unsupported",
      "auction_price_required",
      "auction_time_past",
      "terms_invalid",
      "terms_invalid",
      "pair_in_auction",
    ]);
    expect(desk.engine.stateHash()).toBe(before);
  });

  it("keeps users from meeting themselves at the opening", () => {
    const desk = openAuction();
    desk.begin();
    desk.place("ann", "buy", { ticks: 100, lots: 5 });
    expect(desk.place("ann", "sell", { ticks: 100, lots: 5, selfTrade: "cancelOldest" })).toEqual(
      rejected("self_trade"),
    );
    expect(desk.place("ann", "sell", { ticks: 101, lots: 5 })).toMatchObject({ kind: "order" });
  });

  it("survives a halt, and a halted pair reopens through it", () => {
    const desk = openAuction();
    desk.begin();
    desk.place("ann", "buy", { ticks: 110, lots: 5 });
    const sell = desk.placed("bob", "sell", { ticks: 90, lots: 5 });
    desk.configure({ state: "halted" });
    expect(desk.place("cid", "buy", { ticks: 100, lots: 5 })).toEqual(rejected("pair_halted"));
    desk.tick();
    expect(desk.engine.order(sell.id)).toMatchObject({ filledLots: 0 });
    desk.ring();
    untilTrading(desk);
    expect(desk.engine.pair("gemidr")).toMatchObject({ state: "trading", lastTicks: 100, auction: { number: 1 } });
    desk.configure({ state: "halted" });
    desk.begin();
    expect(desk.engine.pair("gemidr")).toMatchObject({ state: "auction", auction: { number: 2, phase: "collecting" } });
  });

  it("opens without trades where no buyer meets a seller", () => {
    const desk = openAuction();
    desk.begin();
    desk.place("ann", "buy", { ticks: 90, lots: 5 });
    desk.place("bob", "sell", { ticks: 110, lots: 5 });
    desk.ring();
    expect(resultOf(untilTrading(desk))).toMatchObject({ ticks: 0, lots: 0n, trades: 0, orders: 2 });
    expect(desk.engine.pair("gemidr")).toMatchObject({ state: "trading", lastTicks: 0 });
  });

  it("lists every order that takes part, in order of priority, and trades at the price of the stated rule", () => {
    const random = seededRandom(181);
    const prices = new Map<string, number>();
    for (let book = 0; book < 200; book++) {
      const desk = collected(random, { bounds: { fillsMax: random.pick([2, 5, 1_000]) } });
      desk.ring();
      const slices = untilTrading(desk);
      const listed = listedIn(slices);
      const { ticks, lots, orders, trades, referenceTicks } = resultOf(slices);
      const clearing = clearingOf({ ...levelsOf(listed), referenceTicks });
      expect({ ticks, lots }).toEqual({ ticks: clearing?.ticks ?? 0, lots: clearing?.lots ?? 0n });
      expect([listed.length, slices.flatMap((slice) => slice.trades).length]).toEqual([orders, trades]);
      expect(desk.engine.verify()).toEqual([]);
      const kind = surplusOf(clearing);
      prices.set(kind, (prices.get(kind) ?? 0) + 1);
    }
    // Each kind of book was there.
    expect([...prices.keys()].sort()).toEqual(["buyers", "even", "none", "sellers"]);
  });

  it("is continued by any other engine after any slice, to the same end", () => {
    const random = seededRandom(182);
    for (let book = 0; book < 12; book++) {
      const bounds = { fillsMax: random.pick([2, 3]), openOrdersMax: 5_000 };
      const desk = collected(random, { bounds });
      desk.ring();
      const taken = [...desk.history, desk.engine.takeChanges()];
      const standby = heirOf(taken, bounds);
      const ends = new Set<string>();
      for (let slice = 0; !isTrading(desk.engine); slice++) {
        ends.add(endOf(heirOf(taken, bounds), desk.engine.stateHash()));
        desk.engine.apply(TICK);
        taken.push(desk.engine.takeChanges());
        standby.absorb(taken.at(-1) as Changes);
        expect(standby.stateHash()).toBe(desk.engine.stateHash());
        if (slice > 500) throw new Error("the pair does not open");
      }
      ends.add(desk.engine.stateHash());
      expect(ends.size).toBe(1);
      expect(desk.engine.verify()).toEqual([]);
    }
  });

  it("does a bounded amount of work per tick", () => {
    const desk = collected(seededRandom(183), { bounds: { fillsMax: 3 } });
    desk.ring();
    for (const slice of untilTrading(desk)) {
      expect(slice.trades.length).toBeLessThanOrEqual(3);
      expect(listedIn([slice]).length).toBeLessThanOrEqual(12);
    }
  });
});

const TICK = { kind: "tick", id: "0-0-0", at: NOW_MS + 1_000_000 } as const;
const isTrading = (engine: Engine) => engine.pair("gemidr")?.state === "trading";

function surplusOf(clearing: Clearing | undefined): string {
  if (clearing === undefined) return "none";
  if (clearing.surplus === 0n) return "even";
  return clearing.surplus > 0n ? "buyers" : "sellers";
}

/** An engine that knows only what was journalled. */
function heirOf(taken: readonly Changes[], bounds: Partial<EngineBounds>): Engine {
  const heir = createEngine(bounds);
  for (const changes of taken) heir.absorb(changes);
  return heir;
}

/** The state that it reaches by itself, from the expected one. */
function endOf(heir: Engine, expected: string): string {
  expect(heir.stateHash()).toBe(expected);
  while (!isTrading(heir)) heir.apply(TICK);
  return heir.stateHash();
}

/** An auction with random orders of three users close together, so that every rule decides somewhere. */
function collected(random: Random, options: Parameters<typeof openDesk>[0]): Auction & { history: Changes[] } {
  const desk = openAuction({ ...options, terms: BAND });
  const history = [openingRows(desk)];
  if (random.chance(0.5)) {
    desk.place("ann", "buy", { ticks: random.between(95, 105), lots: 1 });
    desk.place("bob", "sell", { ticks: 90, lots: 1 });
  }
  desk.begin();
  for (let order = random.between(2, 40); order > 0; order--) {
    const side = random.pick(["buy", "sell"] as const);
    const user = side === "buy" ? random.pick(["ann", "dan"]) : random.pick(["bob", "eve"]);
    const style = random.chance(0.15) ? {} : { ticks: random.between(96, 104) };
    desk.place(user, side, {
      ...style,
      lots: random.between(1, 3),
      timeInForce: random.pick(["GTC", "GTC", "GTC", "IOC"] as const),
      selfTrade: "none",
    });
  }
  history.push(desk.engine.takeChanges());
  return { ...desk, history };
}

/** The rows of an engine that has just been opened, which `openDesk` has taken already, and money for two more users. */
function openingRows({ engine, apply }: Pick<Desk, "engine" | "apply">): Changes {
  for (const user of ["ann", "bob", "cid", "dan", "eve"])
    for (const currency of ["gem", "idr"])
      apply({ kind: "deposit", user, currency, amount: 1_000_000n, reference: "" });
  const changes = engine.takeChanges();
  const pair = engine.pair("gemidr");
  return { ...changes, pairs: pair === undefined ? [] : [pair] };
}
