import { describe, expect, it } from "vitest";
import { openDesk, PLAIN_TERMS, rejected } from "../../kit/engine/desk.ts";
import { NO_AUCTION } from "./auction/auction.ts";

describe("fees", () => {
  it("are taken from the amount a side receives, rounded up, and go to the house", () => {
    const desk = openDesk({ terms: { makerFeePpm: 1_000, takerFeePpm: 2_500 } });
    desk.placed("ann", "sell", { ticks: 7, lots: 333 });
    // 333 × 0.25 % is 0.8325, and 2,331 × 0.1 % is 2.331.
    expect(desk.trades("bob", "buy", { ticks: 7, lots: 333 })).toMatchObject([
      { value: 2_331n, buyFee: 1n, sellFee: 3n },
    ]);
    expect([desk.available("house", "gem"), desk.available("house", "idr")]).toEqual([1n, 3n]);
    expect(desk.engine.verify()).toEqual([]);
  });

  it("cannot be avoided by trading in small parts, and never exceed the amount received", () => {
    const desk = openDesk({ terms: { makerFeePpm: 1, takerFeePpm: 1_000_000 } });
    desk.placed("ann", "sell", { ticks: 1, lots: 3 });
    const trades = [1, 2, 3].flatMap(() => desk.trades("bob", "buy", { ticks: 1, lots: 1 }));
    expect(trades.map(({ buyFee, sellFee }) => [buyFee, sellFee])).toEqual([
      [1n, 1n],
      [1n, 1n],
      [1n, 1n],
    ]);
    expect(desk.engine.verify()).toEqual([]);
  });

  it("are zero at a rate of zero", () => {
    const desk = openDesk();
    desk.placed("ann", "sell", { ticks: 7, lots: 3 });
    expect(desk.trades("bob", "buy", { ticks: 7, lots: 3 })).toMatchObject([{ buyFee: 0n, sellFee: 0n }]);
  });
});

describe("market orders by quote amount", () => {
  it("buy whole lots level by level, and refund the rest", () => {
    const desk = openDesk();
    desk.placed("ann", "sell", { ticks: 10, lots: 3 });
    desk.placed("ann", "sell", { ticks: 11, lots: 30 });
    const before = desk.available("bob", "idr");
    const order = desk.placed("bob", "buy", { quoteAmount: 60n });
    expect(order).toMatchObject({ status: "filled", cancelReason: "fundsSpent", filledLots: 5, filledValue: 52n });
    expect(desk.available("bob", "idr")).toBe(before - 52n);
  });

  it("sell for at most the amount, and do not continue at a lower price for the rest", () => {
    const desk = openDesk();
    desk.placed("ann", "buy", { ticks: 10, lots: 30 });
    desk.placed("ann", "buy", { ticks: 2, lots: 30 });
    expect(desk.placed("bob", "sell", { quoteAmount: 25n })).toMatchObject({
      cancelReason: "fundsSpent",
      filledLots: 2,
      filledValue: 20n,
    });
  });

  it("are filled without a cancel reason when the amount is spent exactly", () => {
    const desk = openDesk();
    desk.placed("ann", "sell", { ticks: 10, lots: 3 });
    expect(desk.placed("bob", "buy", { quoteAmount: 30n })).toMatchObject({ status: "filled", cancelReason: "" });
  });

  it("are refused when they do not pay for one lot", () => {
    const desk = openDesk();
    desk.placed("ann", "sell", { ticks: 10, lots: 3 });
    expect(desk.place("bob", "buy", { quoteAmount: 9n })).toEqual(rejected("value_below_minimum"));
  });
});

describe("bounds", () => {
  it("let an order spend exactly the available amount, and not one step more", () => {
    const desk = openDesk();
    desk.apply({ kind: "deposit", user: "eve", currency: "idr", amount: 500n, reference: "" });
    expect(desk.place("eve", "buy", { ticks: 167, lots: 3 })).toEqual(rejected("balance_insufficient"));
    expect(desk.placed("eve", "buy", { ticks: 100, lots: 5 })).toMatchObject({ status: "open" });
    expect([desk.available("eve", "idr"), desk.frozen("eve", "idr")]).toEqual([0n, 500n]);
  });

  it("refuse a price, a quantity or a value beyond the integers' range", () => {
    const desk = openDesk({ terms: { tickSteps: 2n ** 40n } });
    expect(desk.place("ann", "buy", { ticks: 2 ** 31, lots: 1 })).toEqual(rejected("value_too_large"));
    expect(desk.place("ann", "buy", { ticks: 2 ** 23, lots: 1 })).toEqual(rejected("value_too_large"));
    expect(desk.place("ann", "sell", { ticks: 1, lots: 2 ** 53 })).toEqual(rejected("command_invalid"));
  });

  it("hold the maximum of a currency, and not one step more", () => {
    const desk = openDesk();
    desk.apply({ kind: "setCurrency", currency: "new", scale: 18 });
    const deposit = (amount: bigint) =>
      desk.apply({ kind: "deposit", user: "ann", currency: "new", amount, reference: "" });
    expect(deposit(2n ** 62n)).toEqual({ kind: "done" });
    expect(deposit(1n)).toEqual(rejected("amount_too_large"));
    expect(desk.available("ann", "new")).toBe(2n ** 62n);
    expect(desk.engine.verify()).toEqual([]);
  });

  it("trade values near the bound exactly", () => {
    const desk = openDesk({ terms: { tickSteps: 2n ** 30n, lotSteps: 1n, makerFeePpm: 1_000, takerFeePpm: 999_999 } });
    desk.apply({ kind: "deposit", user: "bob", currency: "idr", amount: 2n ** 61n, reference: "" });
    desk.placed("ann", "sell", { ticks: 2 ** 30, lots: 1 });
    expect(desk.trades("bob", "buy", { ticks: 2 ** 30, lots: 1 })).toMatchObject([
      { value: 2n ** 60n, sellFee: 1_152_921_504_606_847n },
    ]);
    expect(desk.engine.verify()).toEqual([]);
  });

  it("refuse orders, names and users beyond their bounds, and take them again when there is room", () => {
    const desk = openDesk({ bounds: { openOrdersMax: 1, usersMax: 4 } });
    const first = desk.placed("ann", "sell", { ticks: 100, lots: 1 });
    expect(desk.place("ann", "sell", { ticks: 100, lots: 1 })).toEqual(rejected("engine_full"));
    expect(desk.placed("bob", "buy", { ticks: 99, lots: 1, timeInForce: "IOC" })).toMatchObject({
      status: "cancelled",
    });
    desk.cancel("ann", first.id);
    expect(desk.placed("ann", "sell", { ticks: 100, lots: 1 })).toMatchObject({ status: "open" });
    const deposit = { kind: "deposit", user: "dan", currency: "idr", amount: 1n, reference: "" } as const;
    expect(desk.apply(deposit)).toEqual(rejected("engine_full"));
  });
});

describe("the price band", () => {
  const opened = () => {
    const desk = openDesk({ terms: { bandPpm: 100_000 } });
    desk.placed("ann", "sell", { ticks: 105, lots: 1 });
    desk.placed("bob", "buy", { ticks: 105, lots: 1 });
    return desk;
  };

  it("refuses a price that is too bad for its owner, and is rounded down", () => {
    const desk = opened();
    expect(desk.place("bob", "buy", { ticks: 116, lots: 1 })).toEqual(rejected("price_outside_band"));
    expect(desk.placed("bob", "buy", { ticks: 115, lots: 1 })).toMatchObject({ status: "open" });
    expect(desk.place("ann", "sell", { ticks: 94, lots: 1, postOnly: true })).toEqual(rejected("price_outside_band"));
    expect(desk.placed("ann", "sell", { ticks: 1_000, lots: 1 })).toMatchObject({ status: "open" });
  });

  it("stops a market order at its edge", () => {
    const desk = opened();
    desk.placed("ann", "sell", { ticks: 115, lots: 2 });
    desk.placed("ann", "sell", { ticks: 120, lots: 9 });
    expect(desk.placed("bob", "buy", { lots: 5 })).toMatchObject({
      filledLots: 2,
      status: "cancelled",
      cancelReason: "priceBand",
    });
  });

  it("moves with the last price", () => {
    const desk = opened();
    desk.placed("ann", "sell", { ticks: 115, lots: 1 });
    desk.placed("bob", "buy", { ticks: 115, lots: 1 });
    expect(desk.engine.pair("gemidr")?.lastTicks).toBe(115);
    expect(desk.placed("bob", "buy", { ticks: 126, lots: 1 })).toMatchObject({ status: "open" });
  });
});

describe("terms", () => {
  it("are refused when one tick times one lot is no whole number of steps", () => {
    const desk = openDesk();
    desk.apply({ kind: "setCurrency", currency: "btc", scale: 8 });
    const pair = { pair: "btcidr", baseCurrency: "btc" };
    expect(desk.configure({ ...pair, tickSteps: 1_000n, lotSteps: 99_999n })).toEqual(rejected("terms_invalid"));
    expect(desk.configure({ ...pair, tickSteps: 1_000n, lotSteps: 100_000n })).toEqual({ kind: "done" });
  });

  it("change the grid only without open orders, and carry the last price over", () => {
    const desk = openDesk();
    desk.placed("ann", "sell", { ticks: 105, lots: 1 });
    const buy = desk.placed("bob", "buy", { ticks: 105, lots: 2 });
    expect(desk.configure({ tickSteps: 10n })).toEqual(rejected("pair_has_orders"));
    desk.cancel("bob", buy.id);
    expect(desk.configure({ tickSteps: 10n })).toEqual({ kind: "done" });
    expect(desk.engine.pair("gemidr")).toMatchObject({ grid: 2, version: 2, lastTicks: 10 });
    expect(desk.place("bob", "buy", { ticks: 10, lots: 1, grid: 1 })).toEqual(rejected("pair_changed"));
  });

  it("count a change of any other term as a version, and no change as none", () => {
    const desk = openDesk();
    desk.placed("ann", "sell", { ticks: 105, lots: 1 });
    expect(desk.configure({ state: "halted" })).toEqual({ kind: "done" });
    expect(desk.configure({ state: "halted" })).toEqual({ kind: "done" });
    expect(desk.engine.pair("gemidr")).toEqual({
      ...PLAIN_TERMS,
      state: "halted",
      version: 2,
      grid: 1,
      lastTicks: 0,
      auction: NO_AUCTION,
    });
    expect(desk.place("bob", "buy", { ticks: 105, lots: 1 })).toEqual(rejected("pair_halted"));
  });
});
