import { beforeAll, describe, expect, it } from "vitest";
import { openPriceMover, type PriceMover } from "./price-mover.ts";
import { fieldsOf, startTradingVenue, type Trader, type TradingVenue } from "./trader.ts";

let venue: TradingVenue;
let market: PriceMover;
let anna: Trader;

const M = 1_000_000;

beforeAll(async () => {
  venue = await startTradingVenue();
  market = await openPriceMover(venue);
  anna = await venue.trader("anna", { idr: "50000000000", btc: "20" });
  await market.tradeAt(1_000 * M);
});

const read = async (id: unknown) => (await anna.call("GET", `/orders/${String(id)}`)).body;
const statusOf = async (id: unknown) => (await read(id))["status"];
const cancelAll = async () => void (await anna.call("DELETE", "/orders"));
const idOf = ({ body }: { readonly body: Readonly<Record<string, unknown>> }) => String(body["id"]);

describe("an order with a trigger", () => {
  it("waits outside the book with its funds frozen, and gives them back when it is cancelled", async () => {
    const before = await anna.balance("btc");
    const placed = await anna.place({ type: "stop", side: "sell", stopPrice: "950000000", quantity: "0.5" });
    expect(placed.status).toBe(201);
    expect(placed.body).toMatchObject({
      type: "stop",
      status: "pending",
      phase: "waiting",
      stopPrice: "950000000",
      price: null,
      quantity: "0.5",
      timeInForce: "IOC",
    });
    expect((await anna.balance("btc"))["frozen"]).toBe("0.5");
    const { fills, hasAllFills, ...shown } = placed.body;
    expect(await read(placed.body["id"])).toEqual({ ...shown, fills, hasAllFills });
    const { body: pending } = await anna.call("GET", "/orders?status=pending");
    expect(pending["orders"]).toEqual([shown]);
    expect((await anna.call("GET", "/orders?status=open")).body["orders"]).toEqual([]);
    const { body: book } = await venue.call("GET", "/market/btcidr/book");
    expect(JSON.stringify(book)).not.toContain("950000000");
    const cancelled = await anna.call("DELETE", `/orders/${idOf(placed)}`);
    expect(cancelled.body).toMatchObject({ status: "cancelled", cancelReason: "user" });
    expect(await anna.balance("btc")).toEqual(before);
    expect((await anna.call("GET", "/orders?status=pending")).body["orders"]).toEqual([]);
  });

  it("becomes a limit order when the last price reaches it, and rests at its limit", async () => {
    const placed = await anna.place({
      ...{ type: "stopLimit", side: "buy", stopPrice: "1050000000", price: "1045000000", quantity: "0.2" },
    });
    expect(placed.body).toMatchObject({ status: "pending", price: "1045000000", stopPrice: "1050000000" });
    await market.tradeAt(1_050 * M);
    await expect.poll(() => read(idOf(placed))).toMatchObject({ status: "open", triggeredAt: expect.any(Number) });
    const { body: open } = await anna.call("GET", "/orders?status=open");
    expect(open["orders"]).toMatchObject([{ id: idOf(placed), status: "open" }]);
    expect((await anna.call("GET", "/orders?status=pending")).body["orders"]).toEqual([]);
    await cancelAll();
    await market.tradeAt(1_000 * M);
  });

  it("trades at the market when it is triggered, by quote amount as well", async () => {
    await market.rest("buy", 940 * M, "1");
    const byLots = await anna.place({ type: "stop", side: "sell", stopPrice: "960000000", quantity: "0.01" });
    const byAmount = await anna.place({ type: "stop", side: "sell", stopPrice: "960000000", quoteAmount: "9400000" });
    expect([byLots.status, byAmount.status]).toEqual([201, 201]);
    await market.tradeAt(960 * M);
    for (const placed of [byLots, byAmount]) {
      await expect.poll(() => read(idOf(placed))).toMatchObject({ status: "filled", averagePrice: "940000000" });
      expect((await read(idOf(placed)))["fills"]).toMatchObject([{ quantity: "0.01", liquidity: "taker" }]);
    }
    expect((await anna.balance("btc"))["frozen"]).toBe("0");
    await market.tradeAt(1_000 * M);
  });

  it("fails with a reason when it can neither trade nor rest", async () => {
    const placed = await anna.place({ type: "takeProfit", side: "sell", stopPrice: "1190000000", quantity: "700" });
    expect(placed.body).toMatchObject({ code: "balance_insufficient" });
    const alone = await anna.place({ type: "stop", side: "buy", stopPrice: "1190000000", quantity: "0.001" });
    await market.tradeAt(1_190 * M);
    await expect.poll(() => read(idOf(alone))).toMatchObject({ status: "failed", cancelReason: "noLiquidity" });
    expect((await anna.call("GET", "/orders?status=failed")).body["orders"]).toMatchObject([{ id: idOf(alone) }]);
    expect((await anna.balance("idr"))["frozen"]).toBe("0");
    for (const price of [1_100, 1_000]) await market.tradeAt(price * M);
  });

  it("trails the price: it shows the best price since its activation", async () => {
    const placed = await anna.place({ type: "stop", side: "sell", trailingBps: 500, quantity: "0.01" });
    expect(placed.body).toMatchObject({ status: "pending", phase: "tracking", trailingBps: 500 });
    await market.tradeAt(1_100 * M);
    await expect.poll(() => read(idOf(placed))).toMatchObject({ extremePrice: "1100000000", status: "pending" });
    await market.tradeAt(1_046 * M);
    expect(await statusOf(idOf(placed))).toBe("pending");
    await market.tradeAt(1_045 * M);
    await expect.poll(() => statusOf(idOf(placed))).toBe("filled");
    await market.tradeAt(1_000 * M);
  });

  it("expires with GTD", async () => {
    const expiresAt = Date.now() + 1_500;
    const placed = await anna.place({ side: "buy", price: "900000000", quantity: "0.01", expiresAt });
    expect(placed.body).toMatchObject({ status: "open", timeInForce: "GTD", expiresAt });
    await expect
      .poll(() => read(idOf(placed)), { timeout: 10_000 })
      .toMatchObject({ status: "cancelled", cancelReason: "expired" });
  });

  it("is part of a batch like every order", async () => {
    const { body } = await anna.call("POST", "/orders/batch", {
      json: {
        orders: [
          {
            pair: "btcidr",
            side: "sell",
            type: "stopLimit",
            stopPrice: "900000000",
            price: "899000000",
            quantity: "0.1",
          },
          { pair: "btcidr", side: "sell", type: "stop", quantity: "0.1" },
        ],
      },
    });
    expect(body["results"]).toMatchObject([
      { status: 201, order: { status: "pending" } },
      { status: 422, code: "trigger_price_missing", errors: [{ field: "stopPrice" }] },
    ]);
    await cancelAll();
  });

  it("is one order for one clientOrderId", async () => {
    const order = { type: "stop", side: "sell", stopPrice: "900000000", quantity: "0.1", clientOrderId: "stop-1" };
    const first = await anna.place(order);
    const second = await anna.place(order);
    expect([first.status, second.status, idOf(second)]).toEqual([201, 200, idOf(first)]);
    expect((await anna.place({ ...order, stopPrice: "900001000" })).body).toMatchObject({
      code: "client_order_id_reused",
    });
    const byName = await anna.call("DELETE", "/orders/client/stop-1");
    expect(byName.body).toMatchObject({ id: idOf(first), status: "cancelled" });
  });
});

describe("bad input gets a stable code, names the field, and changes nothing:", () => {
  const stop = { type: "stop", side: "sell", stopPrice: "950000000", quantity: "0.01" };
  const buy = { side: "buy", price: "900000000", quantity: "0.01" };
  const soon = Date.now() + 60_000;

  it.each([
    ["a trigger without a price", { ...stop, stopPrice: undefined }, 422, "trigger_price_missing", "stopPrice"],
    ["a stop behind the market", { ...stop, stopPrice: "1000000000" }, 409, "would_trigger_immediately", "stopPrice"],
    ["a trigger price between two ticks", { ...stop, stopPrice: "950000001" }, 422, "validation_failed", "stopPrice"],
    ["a trigger price of 0", { ...stop, stopPrice: "0" }, 422, "validation_failed", "stopPrice"],
    ["a trigger price for a limit order", { ...buy, stopPrice: "950000000" }, 422, "validation_failed", "stopPrice"],
    ["a limit for a market trigger", { ...stop, price: "950000000" }, 422, "validation_failed", "price"],
    ["a stop limit without a limit", { ...stop, type: "stopLimit" }, 422, "validation_failed", "price"],
    ["trailing by 0", { ...stop, trailingBps: 0 }, 422, "trailing_invalid", "trailingBps"],
    ["trailing by more than half", { ...stop, trailingBps: 5_001 }, 422, "trailing_invalid", "trailingBps"],
    ["trailing by a negative distance", { ...stop, trailingBps: -1 }, 422, "trailing_invalid", "trailingBps"],
    ["trailing by a fraction", { ...stop, trailingBps: 1.5 }, 422, "validation_failed", "trailingBps"],
    ["a plain order that trails", { ...buy, trailingBps: 10 }, 422, "validation_failed", "trailingBps"],
    ["GTD without an expiry", { ...buy, timeInForce: "GTD" }, 422, "expiry_invalid", "expiresAt"],
    ["an expiry without GTD", { ...buy, timeInForce: "GTC", expiresAt: soon }, 422, "expiry_invalid", "expiresAt"],
    ["an expiry in the past", { ...buy, expiresAt: 1_000 }, 422, "expiry_invalid", "expiresAt"],
    ["an expiry in two years", { ...buy, expiresAt: soon + 2 * 366 * 86_400_000 }, 422, "expiry_invalid", "expiresAt"],
    ["a target of 0 percent", { ...buy, targetProfit: "0" }, 422, "percentage_invalid", "targetProfit"],
    ["a negative target", { ...buy, targetProfit: "-5" }, 422, "percentage_invalid", "targetProfit"],
    ["an absurd target", { ...buy, targetProfit: "1000.0001" }, 422, "percentage_invalid", "targetProfit"],
    ["a stop loss of 0 percent", { ...buy, stopLoss: "0" }, 422, "percentage_invalid", "stopLoss"],
    ["a stop loss of everything", { ...buy, stopLoss: "100" }, 422, "percentage_invalid", "stopLoss"],
    ["a target that is no number", { ...buy, targetProfit: "5%" }, 422, "validation_failed", "targetProfit"],
    [
      "a target for a sell order",
      { ...buy, side: "sell", targetProfit: "5" },
      422,
      "percentage_invalid",
      "targetProfit",
    ],
    ["a stop loss for a stop", { ...stop, stopLoss: "5" }, 422, "percentage_invalid", "stopLoss"],
    ["a post-only stop", { ...stop, postOnly: true }, 422, "validation_failed", "postOnly"],
    [
      "two names of one setting",
      { ...buy, selfTrade: "none", selfTradePrevention: "none" },
      422,
      "validation_failed",
      "selfTradePrevention",
    ],
    ["an unknown self-trade mode", { ...buy, selfTrade: "both" }, 422, "validation_failed", "selfTrade"],
    [
      "a stop below the minimum value",
      { ...stop, quantity: "0.00001", stopPrice: "900000000" },
      422,
      "value_below_minimum",
      "quantity",
    ],
  ])("%s", async (_what, order, status, code, field) => {
    const before = [
      await anna.balance("idr"),
      await anna.balance("btc"),
      (await anna.call("GET", "/orders?limit=1")).text,
    ];
    const answer = await anna.place(order);
    expect([answer.status, answer.body.code, Object.keys(fieldsOf(answer))]).toEqual([status, code, [field]]);
    const after = [
      await anna.balance("idr"),
      await anna.balance("btc"),
      (await anna.call("GET", "/orders?limit=1")).text,
    ];
    expect(after).toEqual(before);
  });
});

describe("an amendment", () => {
  const amend = (id: string, quantity: unknown) => anna.call("PATCH", `/orders/${id}`, { json: { quantity } });

  it("makes an order smaller, of which the original quantity is shown, and gives back its funds", async () => {
    const placed = await anna.place({ side: "buy", price: "900000000", quantity: "0.4" });
    const amended = await amend(idOf(placed), "0.1");
    expect([amended.status, amended.body]).toMatchObject([
      200,
      { id: idOf(placed), status: "open", quantity: "0.1", originalQuantity: "0.4" },
    ]);
    expect((await anna.balance("idr"))["frozen"]).toBe("90000000");
    expect(await read(idOf(placed))).toMatchObject(amended.body);
    const { body: book } = await venue.call("GET", "/market/btcidr/book");
    await expect
      .poll(async () => (await venue.call("GET", "/market/btcidr/book")).body["bids"])
      .toContainEqual(["900000000", "0.1"]);
    expect(book).toBeDefined();
    await cancelAll();
  });

  it("keeps the place in the queue", async () => {
    const first = await anna.place({ side: "buy", price: "945000000", quantity: "0.4" });
    const second = await anna.place({ side: "buy", price: "945000000", quantity: "0.1" });
    await amend(idOf(first), "0.1");
    const ben = await venue.trader("ben", { btc: "1" });
    await ben.place({ side: "sell", price: "945000000", quantity: "0.1", timeInForce: "IOC" });
    // A trader reads the effects of another one's order as soon as they are projected.
    await expect.poll(() => statusOf(idOf(first))).toBe("filled");
    expect(await statusOf(idOf(second))).toBe("open");
    await cancelAll();
    await market.tradeAt(1_000 * M);
  });

  it("changes a pending order as well", async () => {
    const placed = await anna.place({ type: "stop", side: "sell", stopPrice: "900000000", quantity: "0.4" });
    expect((await amend(idOf(placed), "0.3")).body).toMatchObject({ status: "pending", quantity: "0.3" });
    expect((await anna.balance("btc"))["frozen"]).toBe("0.3");
    await cancelAll();
  });

  it("is refused upward, without effect, off the lot, and for orders that are not the caller's or not open", async () => {
    const placed = await anna.place({ side: "buy", price: "900000000", quantity: "0.4" });
    const ben = await venue.trader("other", { idr: "1000000000" });
    for (const [quantity, code] of [
      ["0.5", "amend_upward"],
      ["0.4", "amend_without_effect"],
      ["0.000001", "validation_failed"],
      ["0", "validation_failed"],
      ["0.00001", "value_below_minimum"],
    ] as const) {
      const answer = await amend(idOf(placed), quantity);
      expect([quantity, answer.body.code, Object.keys(fieldsOf(answer))]).toEqual([quantity, code, ["quantity"]]);
    }
    const foreign = await ben.call("PATCH", `/orders/${idOf(placed)}`, { json: { quantity: "0.1" } });
    expect([foreign.status, foreign.body.code]).toEqual([404, "order_not_found"]);
    await cancelAll();
    expect((await amend(idOf(placed), "0.1")).body.code).toBe("order_not_open");
    expect((await amend("999999999", "0.1")).body.code).toBe("order_not_found");
    expect(await read(idOf(placed))).toMatchObject({ quantity: "0.4", status: "cancelled" });
  });
});

describe("a replacement", () => {
  const replace = (id: string, json: object) => anna.call("POST", `/orders/${id}/replace`, { json });
  const order = { pair: "btcidr", type: "limit", side: "buy", price: "910000000", quantity: "0.2" };

  it("cancels and places in one step, with the funds of the first", async () => {
    const all = await anna.balance("idr");
    const quantity = String(Math.floor((Number(all["available"]) / 900_000_000) * 1e5) / 1e5);
    const first = await anna.place({ side: "buy", price: "900000000", quantity });
    expect(first.status).toBe(201);
    const replaced = await replace(idOf(first), { order: { ...order, clientOrderId: "new-1" } });
    expect([replaced.status, replaced.body]).toMatchObject([
      201,
      {
        cancelled: { status: 200, order: { id: idOf(first), status: "cancelled", cancelReason: "replaced" } },
        placed: { status: 201, order: { status: "open", price: "910000000", fills: [] } },
      },
    ]);
    const again = await replace(idOf(first), { order: { ...order, clientOrderId: "new-1" } });
    const { placed } = replaced.body as { placed: { order: { id: string } } };
    expect([again.status, again.body]).toMatchObject([
      200,
      { placed: { status: 200, order: { id: placed.order.id } } },
    ]);
    expect(again.body).not.toHaveProperty("cancelled");
    await cancelAll();
  });

  it("does neither if the new order is rejected, unless it may continue", async () => {
    const first = await anna.place({ side: "buy", price: "900000000", quantity: "0.1", clientOrderId: "to-replace" });
    const tooLarge = { ...order, quantity: "99999" };
    const refused = await replace(idOf(first), { order: tooLarge });
    expect([refused.status, refused.body.code]).toEqual([409, "balance_insufficient"]);
    expect(await statusOf(idOf(first))).toBe("open");
    const json = { order: tooLarge, onFailure: "continue" };
    const partly = await anna.call("POST", "/orders/client/to-replace/replace", { json });
    expect([partly.status, partly.body]).toMatchObject([
      200,
      {
        cancelled: { status: 200, order: { status: "cancelled" } },
        placed: { status: 409, code: "balance_insufficient" },
      },
    ]);
    expect(await statusOf(idOf(first))).toBe("cancelled");
  });

  it("names the field of the new order that is invalid, and refuses an order that is not open", async () => {
    const bad = await replace("1", { order: { ...order, price: "1" } });
    expect([bad.status, Object.keys(fieldsOf(bad))]).toEqual([422, ["order.price"]]);
    const gone = await anna.place({ side: "buy", price: "900000000", quantity: "0.1" });
    await cancelAll();
    expect((await replace(idOf(gone), { order })).body.code).toBe("order_not_open");
    const placed = await replace(idOf(gone), { order, onFailure: "continue" });
    expect([placed.status, placed.body]).toMatchObject([
      201,
      { cancelled: { status: 409, code: "order_not_open" }, placed: { status: 201 } },
    ]);
    await cancelAll();
  });
});

describe("the dead man's switch", () => {
  const set = (seconds: unknown) => anna.call("PUT", "/orders/cancel-after", { json: { seconds } });

  it("cancels all orders of the user when its time comes, and no others", async () => {
    const other = await venue.trader("carol", { idr: "1000000000" });
    const kept = await other.place({ side: "buy", price: "900000000", quantity: "0.1" });
    const open = await anna.place({ side: "buy", price: "900000000", quantity: "0.1" });
    const pending = await anna.place({ type: "stop", side: "sell", stopPrice: "900000000", quantity: "0.1" });
    const { body } = await set(1);
    expect(body).toEqual({ cancelAt: expect.any(Number) });
    for (const placed of [open, pending])
      await expect
        .poll(() => read(idOf(placed)), { timeout: 10_000 })
        .toMatchObject({ status: "cancelled", cancelReason: "cancelAfter" });
    expect((await other.call("GET", `/orders/${idOf(kept)}`)).body["status"]).toBe("open");
  });

  it("can be set again and turned off, and refuses other times", async () => {
    expect((await set(60)).body["cancelAt"]).toBeGreaterThan(Date.now() + 50_000);
    expect((await set(0)).body).toEqual({ cancelAt: null });
    expect((await set(86_401)).body.code).toBe("cancel_after_invalid");
    for (const seconds of [-1, 1.5, "5", null]) expect((await set(seconds)).body.code).toBe("validation_failed");
  });
});

describe("self-trade prevention", () => {
  it("shrinks both orders with decrement, and lets them trade with none", async () => {
    const resting = await anna.place({ side: "buy", price: "950000000", quantity: "0.3" });
    const taking = await anna.place({ side: "sell", price: "950000000", quantity: "0.1", selfTrade: "decrement" });
    expect(taking.body).toMatchObject({ status: "cancelled", cancelReason: "selfTrade", filledQuantity: "0" });
    expect(await read(idOf(resting))).toMatchObject({
      ...{ status: "open", quantity: "0.2", originalQuantity: "0.3", preventedQuantity: "0.1" },
    });
    const trading = await anna.place({ side: "sell", price: "950000000", quantity: "0.2", selfTrade: "none" });
    expect(trading.body).toMatchObject({ status: "filled" });
    expect(await read(idOf(resting))).toMatchObject({ status: "filled", filledQuantity: "0.2" });
    await market.tradeAt(1_000 * M);
  });
});
