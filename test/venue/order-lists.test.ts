import { beforeAll, describe, expect, it } from "vitest";
import { openPriceMover, type PriceMover } from "./price-mover.ts";
import { fieldsOf, startTradingVenue, type Trader, type TradingVenue } from "./trader.ts";
import type { Answer } from "./venue.ts";

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

type Shown = Readonly<Record<string, unknown>> & { readonly orders: readonly Readonly<Record<string, unknown>>[] };

const place = (json: object) => anna.call("POST", "/order-lists", { json });
const listOf = ({ body }: Answer) => body as unknown as Shown;
const read = async (id: unknown) => listOf(await anna.call("GET", `/order-lists/${String(id)}`));
const statuses = async (id: unknown) => (await read(id)).orders.map(({ status }) => status);
const clear = async () => {
  await anna.call("DELETE", "/orders");
  await market.tradeAt(1_000 * M);
};

const oco = {
  type: "oco",
  pair: "btcidr",
  side: "sell",
  quantity: "0.1",
  above: { type: "limit", price: "1080000000" },
  below: { type: "stop", stopPrice: "920000000" },
};
const working = { side: "buy", type: "limit", price: "950000000", quantity: "0.2" };
const oto = {
  type: "oto",
  pair: "btcidr",
  working,
  pending: { side: "sell", type: "limit", price: "1100000000", quantity: "0.1" },
};
const otoco = { ...oco, type: "otoco", side: undefined, working };

describe("two orders that exclude each other", () => {
  it("share one reservation and are shown with their list, from its own route and from theirs", async () => {
    const placed = await place({ ...oco, clientListId: "first" });
    expect([placed.status, placed.body]).toMatchObject([
      201,
      {
        ...{ type: "oco", pair: "btcidr", status: "active", clientListId: "first" },
        orders: [
          { status: "open", type: "limit", price: "1080000000", postOnly: true, listRole: "above" },
          { status: "pending", type: "stop", stopPrice: "920000000", listRole: "below" },
        ],
      },
    ]);
    const list = listOf(placed);
    expect(list["orderIds"]).toEqual(list.orders.map(({ id }) => id));
    expect((await anna.balance("btc"))["frozen"]).toBe("0.1");
    expect(await read(list["id"])).toEqual(list);
    const { body } = await anna.call("GET", "/order-lists?status=active&pair=btcidr");
    expect(body).toEqual({ lists: [list], nextCursor: null });
    expect((await anna.call("GET", "/order-lists?status=done")).body["lists"]).toEqual([]);
    const { body: leg } = await anna.call("GET", `/orders/${String(list.orders[1]?.["id"])}`);
    expect(leg).toMatchObject({ listId: list["id"], listRole: "below" });
    await clear();
  });

  it("never both trade: a fill of one cancels the other", async () => {
    const list = listOf(await place(oco));
    const ben = await venue.trader("ben", { idr: "1000000000" });
    await ben.place({ side: "buy", price: "1080000000", quantity: "0.1" });
    await expect.poll(() => statuses(list["id"])).toEqual(["filled", "cancelled"]);
    expect(await read(list["id"])).toMatchObject({ status: "done", orders: [{}, { cancelReason: "list" }] });
    expect((await anna.balance("btc"))["frozen"]).toBe("0");
    await clear();
  });

  it("and a trigger of one cancels the other", async () => {
    await market.rest("buy", 915 * M, "0.1");
    const list = listOf(await place(oco));
    await market.tradeAt(920 * M);
    await expect.poll(() => statuses(list["id"])).toEqual(["cancelled", "filled"]);
    await clear();
  });

  it("end together when the list or one of them is cancelled", async () => {
    const byId = listOf(await place(oco));
    const cancelled = await anna.call("DELETE", `/order-lists/${String(byId["id"])}`);
    expect([cancelled.status, cancelled.body]).toMatchObject([
      200,
      { id: byId["id"], status: "done", orders: [{ status: "cancelled" }, { status: "cancelled" }] },
    ]);
    const again = await anna.call("DELETE", `/order-lists/${String(byId["id"])}`);
    expect([again.status, again.body.code]).toEqual([409, "list_not_active"]);
    const named = listOf(await place({ ...oco, clientListId: "by-name" }));
    const byName = await anna.call("DELETE", "/order-lists/client/by-name");
    expect(byName.body).toMatchObject({ id: named["id"], status: "done" });
    const one = listOf(await place(oco));
    const leg = await anna.call("DELETE", `/orders/${String(one.orders[1]?.["id"])}`);
    expect(leg.body).toMatchObject({ id: one.orders[1]?.["id"], status: "cancelled", cancelReason: "user" });
    expect(await statuses(one["id"])).toEqual(["cancelled", "cancelled"]);
    const other = await venue.trader("stranger");
    for (const method of ["GET", "DELETE"]) {
      const answer = await other.call(method, `/order-lists/${String(byId["id"])}`);
      expect([answer.status, answer.body.code]).toEqual([404, "list_not_found"]);
    }
  });
});

describe("orders that follow another one", () => {
  it("wait without a reservation, and are placed when the working order is filled", async () => {
    const list = listOf(await place(oto));
    expect(list).toMatchObject({
      ...{ type: "oto", status: "active" },
      orders: [
        { status: "open", listRole: "working" },
        { status: "pending", phase: "dormant", listRole: "pending" },
      ],
    });
    expect((await anna.balance("btc"))["frozen"]).toBe("0");
    const ben = await venue.trader("filler", { btc: "1" });
    await ben.place({ side: "sell", price: "950000000", quantity: "0.2" });
    await expect.poll(() => statuses(list["id"])).toEqual(["filled", "open"]);
    expect((await anna.balance("btc"))["frozen"]).toBe("0.1");
    await clear();
    expect(await read(list["id"])).toMatchObject({ status: "done" });
  });

  it("can be a pair, with the other side and the quantity of the working order by default", async () => {
    const { quantity: _quantity, ...byDefault } = otoco;
    const whole = listOf(await place(byDefault));
    expect(whole.orders).toMatchObject([
      { side: "buy", quantity: "0.2" },
      { side: "sell", quantity: "0.2", status: "pending" },
      { side: "sell", quantity: "0.2", status: "pending" },
    ]);
    await anna.call("DELETE", `/order-lists/${String(whole["id"])}`);
    const list = listOf(await place({ ...otoco, pair: undefined, working: { ...working, pair: "btcidr" } }));
    const ben = await venue.trader("filler_2", { btc: "1" });
    await ben.place({ side: "sell", price: "950000000", quantity: "0.2" });
    await expect.poll(() => statuses(list["id"])).toEqual(["filled", "open", "pending"]);
    await market.tradeAt(1_000 * M);
    await clear();
  });
});

describe("the sell orders that follow a buy", () => {
  const buy = { side: "buy", price: "960000000", quantity: "0.1", targetProfit: "5", stopLoss: "2.5" };

  it("sell exactly what it received after fees, rounded down to the lot, and are linked with it", async () => {
    const placed = await anna.place(buy);
    expect(placed.body).toMatchObject({ status: "open", targetProfit: "5", stopLoss: "2.5" });
    const { sellOrderId, listId, id } = placed.body as Record<string, string>;
    const ben = await venue.trader("seller", { btc: "1" });
    await ben.place({ side: "sell", price: "960000000", quantity: "0.1" });
    await expect.poll(() => statuses(listId)).toEqual(["filled", "open", "pending"]);
    const [bought, target, stop] = (await read(listId)).orders;
    expect(await read(listId)).toMatchObject({ type: "exit", orderIds: [id, sellOrderId, expect.any(String)] });
    const received = Math.floor((0.1 - Number(bought?.["fee"])) * 1e5 + 1e-9) / 1e5;
    expect(target).toMatchObject({ quantity: String(received), price: "1008000000", buyOrderId: id });
    expect(stop).toMatchObject({ quantity: String(received), stopPrice: "936000000", buyOrderId: id });
    expect((await anna.balance("btc"))["frozen"]).toBe(String(received));
    await market.rest("buy", 930 * M, "0.2");
    await market.tradeAt(936 * M);
    await expect.poll(() => statuses(listId)).toEqual(["filled", "cancelled", "stopped"]);
    expect((await anna.call("GET", "/orders?status=stopped")).body["orders"]).toMatchObject([{ id: stop?.["id"] }]);
    await clear();
  });
});

describe("a list", () => {
  it("is one list for one clientListId, and for the names of its orders", async () => {
    const json = { ...oco, clientListId: "once" };
    const [first, second] = [await place(json), await place(json)];
    expect([first.status, second.status]).toEqual([201, 200]);
    expect(second.body).toEqual(first.body);
    const other = await place({ ...json, quantity: "0.2" });
    expect([other.status, other.body.code]).toEqual([409, "client_list_id_reused"]);
    await anna.call("DELETE", "/order-lists/client/once");
    const byOrder = { ...oco, above: { ...oco.above, clientOrderId: "leg-1" } };
    const [third, fourth] = [await place(byOrder), await place(byOrder)];
    expect([third.status, fourth.status, fourth.body["id"]]).toEqual([201, 200, third.body["id"]]);
    await clear();
  });

  const limit = { type: "limit", price: "1080000000" };
  const below = { type: "stop", stopPrice: "920000000" };

  it.each([
    [
      "two limits on the same side",
      { ...oco, below: { type: "limit", price: "920000000" } },
      "list_orders_invalid",
      [],
    ],
    ["two stops", { ...oco, above: { type: "stop", stopPrice: "930000000" } }, "list_orders_invalid", []],
    [
      "prices in the wrong order",
      { ...oco, above: { type: "takeProfit", stopPrice: "910000000" } },
      "list_prices_invalid",
      [],
    ],
    [
      "a stop that is reached already",
      { ...oco, below: { ...below, stopPrice: "1010000000" } },
      "would_trigger_immediately",
      ["stopPrice"],
    ],
    ["a leg without its price", { ...oco, above: { type: "limit" } }, "validation_failed", ["above.price"]],
    [
      "a leg without its trigger price",
      { ...oco, below: { type: "stop" } },
      "trigger_price_missing",
      ["below.stopPrice"],
    ],
    ["a quantity off the lot", { ...oco, quantity: "0.0000001" }, "validation_failed", ["quantity"]],
    [
      "a leg with its own quantity",
      { ...oco, above: { ...limit, quantity: "1" } },
      "validation_failed",
      ["above.quantity"],
    ],
    ["an unknown type", { ...oco, type: "ocoo" }, "validation_failed", ["type"]],
    ["no pair", { ...oto, pair: undefined }, "validation_failed", ["pair"]],
    [
      "another pair in an order",
      { ...oto, pending: { ...oto.pending, pair: "ethidr" } },
      "validation_failed",
      ["pending.pair"],
    ],
    ["an unknown pair", { ...oco, pair: "nope" }, "pair_not_found", []],
    [
      "a working order that does not rest",
      { ...oto, working: { ...working, timeInForce: "IOC" } },
      "list_orders_invalid",
      [],
    ],
    ["more than the balance", { ...oco, quantity: "5000" }, "balance_insufficient", []],
  ])("is refused with a stable code, and nothing changes: %s", async (_what, json, code, fields) => {
    const before = [
      await anna.balance("btc"),
      await anna.balance("idr"),
      (await anna.call("GET", "/orders?limit=1")).text,
    ];
    const answer = await place(json);
    expect([answer.body.code, [...new Set(Object.keys(fieldsOf(answer)))]]).toEqual([code, fields]);
    expect(answer.status).toBeGreaterThanOrEqual(400);
    const after = [
      await anna.balance("btc"),
      await anna.balance("idr"),
      (await anna.call("GET", "/orders?limit=1")).text,
    ];
    expect(after).toEqual(before);
  });

  it("is one of many that are listed page by page, the newest first", async () => {
    const dora = await venue.trader("dora", { btc: "5" });
    const ids: string[] = [];
    for (let count = 0; count < 5; count++)
      ids.unshift(String((await dora.call("POST", "/order-lists", { json: { ...oco, quantity: "0.01" } })).body["id"]));
    const seen: unknown[] = [];
    let cursor: unknown;
    do {
      const after = cursor === undefined ? "" : `&cursor=${String(cursor)}`;
      const { body } = await dora.call("GET", `/order-lists?limit=2${after}`);
      seen.push(...(body["lists"] as readonly { readonly id: string }[]).map(({ id }) => id));
      cursor = body["nextCursor"] ?? undefined;
    } while (cursor !== undefined);
    expect(seen).toEqual(ids);
  });
});
