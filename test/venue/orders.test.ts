import { beforeAll, describe, expect, it } from "vitest";
import { signRequest } from "../../kit/sign-request.ts";
import { fieldsOf, startTradingVenue, type Trader, type TradingVenue } from "./trader.ts";
import type { Json } from "./venue.ts";

let venue: TradingVenue;
let anna: Trader;
let ben: Trader;

/** Each test uses its own prices, and anna and ben have enough for all. */
beforeAll(async () => {
  venue = await startTradingVenue();
  anna = await venue.trader("anna", { idr: "10000000000", btc: "10", eth: "100" });
  ben = await venue.trader("ben", { idr: "10000000000", btc: "10", eth: "100" });
});

const P = "1000000000";

describe("an order", () => {
  it("is answered after its commit, with its fills, exact to the smallest unit", async () => {
    const sell = await anna.place({ side: "sell", price: P, quantity: "0.003" });
    expect(sell.status).toBe(201);
    expect(sell.body).toMatchObject({
      status: "open",
      price: P,
      quantity: "0.003",
      filledQuantity: "0",
      averagePrice: null,
      fills: [],
    });
    const buy = await ben.place({ side: "buy", price: "1000001000", quantity: "0.002", clientOrderId: "ben-1" });
    expect(buy.status).toBe(201);
    expect(buy.body).toMatchObject({
      clientOrderId: "ben-1",
      pair: "btcidr",
      side: "buy",
      timeInForce: "GTC",
      status: "filled",
      price: "1000001000",
      filledQuantity: "0.002",
      filledValue: "2000000",
      averagePrice: P,
      fee: "0.000004",
      feeCurrency: "btc",
      cancelReason: null,
      hasAllFills: true,
      fills: [
        {
          price: P,
          quantity: "0.002",
          value: "2000000",
          fee: "0.000004",
          feeCurrency: "btc",
          liquidity: "taker",
          orderId: buy.body["id"],
        },
      ],
    });
    expect(await ben.balance("btc")).toEqual({
      currency: "btc",
      available: "10.001996",
      frozen: "0",
      total: "10.001996",
    });
    expect(await ben.balance("idr")).toMatchObject({ available: "9998000000", frozen: "0" });
    expect(await anna.balance("btc")).toEqual({ currency: "btc", available: "9.997", frozen: "0.001", total: "9.998" });
    const read = await anna.call("GET", `/orders/${sell.body["id"]}`);
    expect(read.body).toMatchObject({
      status: "partiallyFilled",
      filledQuantity: "0.002",
      fee: "2000",
      feeCurrency: "idr",
      fills: [{ liquidity: "maker", fee: "2000" }],
      hasAllFills: true,
    });
    expect((await anna.call("DELETE", `/orders/${sell.body["id"]}`)).body).toMatchObject({
      status: "cancelled",
      cancelReason: "user",
    });
    expect(await anna.balance("btc")).toMatchObject({ available: "9.998", frozen: "0" });
  });

  it("has camelCase names and decimal strings only", async () => {
    const { text, body } = await anna.place({ side: "buy", price: "900000000", quantity: "0.001" });
    expect(text).not.toMatch(/"[a-z]+_[a-z_]+":/);
    for (const name of ["price", "quantity", "filledQuantity", "filledValue", "fee"])
      expect(body[name]).toEqual(expect.any(String));
    await anna.call("DELETE", "/orders");
  });

  it("can be a market order by quantity or by quote amount, and the unspent rest is kept", async () => {
    await anna.place({ side: "sell", price: P, quantity: "0.01" });
    const byQuote = await ben.place({ type: "market", side: "buy", quoteAmount: "1234567" });
    expect(byQuote.body).toMatchObject({
      type: "market",
      price: null,
      quantity: null,
      quoteAmount: "1234567",
      filledQuantity: "0.00123",
      timeInForce: "IOC",
      status: "filled",
      cancelReason: null,
    });
    const read = await ben.call("GET", `/orders/${byQuote.body["id"]}`);
    expect(read.body).toMatchObject({ status: "filled", cancelReason: null });
    const byQuantity = await ben.place({ type: "market", side: "buy", quantity: "0.00177" });
    expect(byQuantity.body).toMatchObject({ status: "filled", filledValue: "1770000" });
    await anna.call("DELETE", "/orders");
    const empty = await ben.place({ type: "market", side: "buy", quantity: "0.001" });
    expect([empty.status, empty.body.code]).toEqual([409, "no_liquidity"]);
  });

  it("is refused with the rule that it breaks, and nothing changes", async () => {
    const before = await anna.call("GET", "/wallet");
    const good = { side: "buy", price: P, quantity: "0.001" };
    const offTick = await anna.place({ ...good, price: "1000000500" });
    expect([offTick.status, offTick.body.code, fieldsOf(offTick)]).toEqual([
      422,
      "validation_failed",
      { price: "must be a multiple of the tick, 1000" },
    ]);
    expect(fieldsOf(await anna.place({ ...good, quantity: "0.0000001" }))).toEqual({
      quantity: "must be a multiple of the lot, 0.00001",
    });
    expect(fieldsOf(await anna.place({ ...good, price: "1000000", quantity: "0.00001" }))).toEqual({
      quantity: "price times quantity must be at least the minimum, 10000 IDR",
    });
    for (const price of [
      "",
      " 12 ",
      "0x10",
      "1e3",
      "-1000",
      "-0",
      "٣",
      1000,
      true,
      ["1000"],
      "9".repeat(40),
      `1000.${"0".repeat(18)}1`,
    ]) {
      const answer = await anna.place({ ...good, price });
      expect([price, answer.status, Object.keys(fieldsOf(answer))]).toEqual([price, 422, ["price"]]);
    }
    const refusals: [Record<string, unknown>, number, string][] = [
      [{ ...good, pair: "btcxyz" }, 404, "pair_not_found"],
      [{ ...good, quantity: "20" }, 409, "balance_insufficient"],
      [{ ...good, price: "1000000000000", quantity: "9000000000" }, 422, "value_too_large"],
      [{ ...good, timeInForce: "FOK" }, 409, "fill_or_kill_unfillable"],
      [{ ...good, price: "1200001000" }, 422, "price_outside_band"],
    ];
    for (const [order, status, code] of refusals) {
      const answer = await anna.place(order);
      expect([order, answer.status, answer.body.code]).toEqual([order, status, code]);
    }
    expect((await anna.call("GET", "/wallet")).body).toEqual(before.body);
  });

  it("does not trade with the user's own orders, and does not take liquidity if it is post-only", async () => {
    const own = await anna.place({ side: "sell", price: P, quantity: "0.001" });
    const self = await anna.place({ side: "buy", price: P, quantity: "0.001" });
    expect([self.status, self.body.code]).toEqual([409, "self_trade"]);
    const oldest = await anna.place({ side: "buy", price: P, quantity: "0.001", selfTradePrevention: "cancelOldest" });
    expect(oldest.body).toMatchObject({ status: "open" });
    expect((await anna.call("GET", `/orders/${own.body["id"]}`)).body).toMatchObject({
      status: "cancelled",
      cancelReason: "selfTrade",
    });
    const post = await ben.place({ side: "sell", price: P, quantity: "0.001", postOnly: true });
    expect([post.status, post.body.code]).toEqual([409, "post_only_would_trade"]);
    await anna.call("DELETE", "/orders");
  });
});

describe("the same client order id", () => {
  it("with the same content is one order: 200 with the order's current state", async () => {
    const order = { side: "sell", price: P, quantity: "0.001", clientOrderId: "twice" };
    const first = await anna.place(order);
    const second = await anna.place({ ...order });
    expect([first.status, second.status]).toEqual([201, 200]);
    expect(second.body).toEqual(first.body);
    await ben.place({ side: "buy", price: P, quantity: "0.001" });
    const third = await anna.place(order);
    expect(third.body).toMatchObject({
      id: first.body["id"],
      status: "filled",
      fills: [{ quantity: "0.001", liquidity: "maker" }],
    });
  });

  it("in a hundred concurrent requests is one order", async () => {
    const order = { side: "buy", price: "800000000", quantity: "0.001", clientOrderId: "hundred" };
    const answers = await Promise.all(Array.from({ length: 100 }, () => ben.place(order)));
    expect(new Set(answers.map(({ body }) => body["id"])).size).toBe(1);
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array.from({ length: 99 }, () => 200), 201]);
    expect((await ben.call("GET", "/orders?status=open")).body["orders"]).toHaveLength(1);
    await ben.call("DELETE", "/orders");
  });

  it("with other content is refused, and is independent of other users", async () => {
    const order = { side: "buy", price: "800000000", quantity: "0.001", clientOrderId: "reused" };
    const first = await anna.place(order);
    const other = await anna.place({ ...order, quantity: "0.002" });
    expect([other.status, other.body.code]).toEqual([409, "client_order_id_reused"]);
    const bens = await ben.place(order);
    expect([bens.status, bens.body["id"] === first.body["id"]]).toEqual([201, false]);
    expect((await ben.call("DELETE", "/orders/client/reused")).body).toMatchObject({
      id: bens.body["id"],
      status: "cancelled",
    });
    expect((await anna.call("GET", `/orders/${first.body["id"]}`)).body).toMatchObject({ status: "open" });
    expect((await anna.call("DELETE", "/orders/client/reused")).status).toBe(200);
    const again = await anna.call("DELETE", "/orders/client/reused");
    expect([again.status, again.body.code]).toEqual([409, "order_not_open"]);
    expect((await anna.call("DELETE", "/orders/client/never-was")).body.code).toBe("order_not_found");
  });
});

describe("a batch", () => {
  it("gives each order its own result, in the order of the request", async () => {
    const good = { pair: "btcidr", side: "buy", type: "limit", price: "700000000", quantity: "0.001" };
    const json = {
      orders: [
        good,
        { ...good, price: "1.5" },
        "nonsense",
        { ...good, pair: "nope" },
        { ...good, quantity: "999" },
        { ...good, clientOrderId: "in-batch" },
      ],
    };
    const answer = await anna.call("POST", "/orders/batch", { json });
    const results = answer.body["results"] as readonly Json[];
    expect([answer.status, results.map(({ status }) => status as unknown as number)]).toEqual([
      200,
      [201, 422, 422, 404, 409, 201],
    ]);
    expect(results.map(({ code }) => code)).toEqual([
      undefined,
      "validation_failed",
      "validation_failed",
      "pair_not_found",
      "balance_insufficient",
      undefined,
    ]);
    expect(results[1]?.["errors"]).toEqual([{ field: "price", message: "must be a multiple of the tick, 1000" }]);
    expect(results[0]?.["order"]).toMatchObject({ status: "open", price: "700000000" });
    expect(answer.headers.get("venue-sequence")).toMatch(/^\d+$/);
    expect((await anna.call("GET", "/orders?status=open")).body["orders"]).toHaveLength(2);
    const cancelled = await anna.call("DELETE", "/orders?pair=btcidr");
    expect(cancelled.body).toMatchObject({
      hasMore: false,
      orders: [{ status: "cancelled" }, { status: "cancelled" }],
    });
  });

  it("is bounded", async () => {
    const good = { pair: "btcidr", side: "buy", type: "limit", price: "700000000", quantity: "0.001" };
    for (const count of [0, 101]) {
      const answer = await anna.call("POST", "/orders/batch", {
        json: { orders: Array.from({ length: count }, () => good) },
      });
      expect([count, answer.status, Object.keys(fieldsOf(answer))]).toEqual([count, 422, ["orders"]]);
    }
  });
});

describe("lists", () => {
  it("are read in pages, the newest first, each order once, by status and pair", async () => {
    const cora = await venue.trader("cora", { idr: "100000000", eth: "5" });
    const placed: string[] = [];
    for (let index = 0; index < 7; index++) {
      const { body } = await cora.place({ side: "buy", price: `${index + 1}00000000`, quantity: "0.0001" });
      placed.unshift(String(body["id"]));
    }
    const eth = await cora.place({ pair: "ethidr", side: "sell", price: "50000000", quantity: "0.1" });
    await cora.call("DELETE", `/orders/${placed[2]}`);
    const pages: string[][] = [];
    let cursor = "";
    do {
      const { body } = await cora.call("GET", `/orders?pair=btcidr&limit=3${cursor === "" ? "" : `&cursor=${cursor}`}`);
      pages.push((body["orders"] as readonly { id: string }[]).map(({ id }) => id));
      cursor = String(body["nextCursor"] ?? "");
    } while (cursor !== "");
    expect(pages.flat()).toEqual(placed);
    expect(pages[0]).toHaveLength(3);
    const idsOf = async (query: string) =>
      ((await cora.call("GET", `/orders?${query}`)).body["orders"] as readonly { id: string }[]).map(({ id }) => id);
    expect(await idsOf("status=cancelled")).toEqual([placed[2]]);
    expect(await idsOf("status=filled")).toEqual([]);
    expect(await idsOf("status=open")).toEqual([eth.body["id"], ...placed.filter((id) => id !== placed[2])]);
    expect(await idsOf("status=open&pair=ethidr")).toEqual([eth.body["id"]]);
    for (const query of ["status=none", "limit=0", "limit=101", "cursor=x", "cursor=-1", "pair=BTC", "page=2"]) {
      expect([query, (await cora.call("GET", `/orders?${query}`)).status]).toEqual([query, 422]);
    }
  });

  it("of executions show each side its own fills, and nothing of the other side", async () => {
    const dora = await venue.trader("dora", { btc: "1" });
    const emil = await venue.trader("emil", { idr: "100000000" });
    for (let index = 0; index < 3; index++) {
      await dora.place({ side: "sell", price: P, quantity: "0.001" });
      await emil.place({ side: "buy", price: P, quantity: "0.001" });
    }
    const { body: first } = await emil.call("GET", "/trades?limit=2");
    const { body: second } = await emil.call("GET", `/trades?limit=2&cursor=${first["nextCursor"]}`);
    const bought = [...(first["trades"] as Json[]), ...(second["trades"] as Json[])];
    expect([bought.length, second["nextCursor"]]).toEqual([3, null]);
    expect(bought[0]).toMatchObject({
      side: "buy",
      pair: "btcidr",
      quantity: "0.001",
      feeCurrency: "btc",
      liquidity: "taker",
    });
    const sold = await dora.call("GET", "/trades?pair=btcidr");
    expect(sold.body["trades"]).toHaveLength(3);
    expect(sold.text).not.toContain(emil.id);
    expect((await dora.call("GET", "/trades?pair=ethidr")).body["trades"]).toEqual([]);
    const { body: open } = await venue.call("GET", "/market/btcidr/trades?limit=1");
    expect(open["trades"]).toEqual([
      {
        id: bought[0]?.["id"],
        price: P,
        quantity: "0.001",
        value: "1000000",
        takerSide: "buy",
        at: expect.any(Number),
        auction: null,
      },
    ]);
  });
});

describe("a client order id", () => {
  it("is valid exactly if the order can be cancelled by it", async () => {
    const order = { side: "buy", price: "600000000", quantity: "0.001" };
    for (const clientOrderId of [".", ".."]) {
      const refused = await anna.place({ ...order, clientOrderId });
      expect([refused.status, refused.body.code]).toEqual([422, "validation_failed"]);
      expect(refused.body["errors"]).toMatchObject([{ field: "clientOrderId" }]);
    }
    for (const clientOrderId of ["...", ".a", "a.", "a:b-c_d", "-", "x".repeat(64)]) {
      expect((await anna.place({ ...order, clientOrderId })).status, clientOrderId).toBe(201);
      // As a client's URL parser writes it.
      const { pathname } = new URL(`http://venue.test/orders/client/${clientOrderId}`);
      const cancelled = await anna.call("DELETE", pathname);
      expect([cancelled.status, cancelled.body["clientOrderId"]]).toEqual([200, clientOrderId]);
    }
  });
});

describe("a user", () => {
  it("cannot read or change the orders, wallets and commands of another user", async () => {
    const { body } = await anna.place({ side: "buy", price: "600000000", quantity: "0.001", clientOrderId: "annas" });
    const id = String(body["id"]);
    for (const [method, path] of [
      ["GET", `/orders/${id}`],
      ["DELETE", `/orders/${id}`],
      ["DELETE", "/orders/client/annas"],
    ] as const) {
      const answer = await ben.call(method, path);
      expect([method, path, answer.status, answer.body.code]).toEqual([method, path, 404, "order_not_found"]);
    }
    expect((await ben.call("DELETE", "/orders")).body["orders"]).toEqual([]);
    expect((await ben.call("GET", "/orders")).text).not.toContain("annas");
    expect((await anna.call("GET", `/orders/${id}`)).body).toMatchObject({ status: "open" });
    for (const forged of ["1-0-0", "1-0-0.AAAAAAAAAAAAAAAAAAAAAA", "%00", "x"]) {
      expect((await ben.call("GET", `/commands/${forged}`)).body.code).toBe("command_not_found");
    }
    await anna.call("DELETE", "/orders");
  });

  it("cannot use an API key without the permission", async () => {
    const keyOf = async (permissions: readonly string[]) => {
      const { body } = await anna.call("POST", "/api-keys", { json: { label: "bot", permissions } });
      return { id: String(body["id"]), secret: String(body["secret"]) };
    };
    const order = JSON.stringify({ pair: "btcidr", side: "buy", type: "limit", price: "600000000", quantity: "0.001" });
    const money = JSON.stringify({ currency: "idr", amount: "1", reference: "by-key" });
    const asked: readonly (readonly [string, string, string, string])[] = [
      ["info", "GET", "/orders", ""],
      ["info", "GET", "/orders/1", ""],
      ["info", "GET", "/wallet", ""],
      ["info", "GET", "/wallet/idr", ""],
      ["info", "GET", "/wallet/history", ""],
      ["info", "GET", "/trades", ""],
      ["info", "GET", "/commands/1-0-0", ""],
      ["trade", "POST", "/orders", order],
      ["trade", "POST", "/orders/batch", `{"orders":[${order}]}`],
      ["trade", "DELETE", "/orders/1", ""],
      ["trade", "DELETE", "/orders/client/x", ""],
      ["trade", "DELETE", "/orders", ""],
      ["withdraw", "POST", "/wallet/withdrawals", money],
    ];
    for (const permission of ["info", "trade", "withdraw"]) {
      const key = await keyOf([permission]);
      for (const [needed, method, path, body] of asked) {
        const headers = {
          ...signRequest({ ...key, method, path: `/api/v1${path}`, body }),
          ...(body === "" ? {} : { "content-type": "application/json" }),
        };
        const { body: answered } = await venue.call(method, path, { headers, ...(body === "" ? {} : { body }) });
        expect([permission, method, path, answered.code === "permission_missing"]).toEqual([
          permission,
          method,
          path,
          permission !== needed,
        ]);
      }
    }
  });
});

describe("the venue's settings", () => {
  it("bound a user's open orders, and admit only admins during maintenance", async () => {
    const fritz = await venue.trader("fritz", { idr: "100000000" });
    const settings = { maintenanceMode: false, maintenanceMessage: "", maxOpenOrders: 2, minVolumeFilter: "0" };
    const set = (json: object) => venue.call("PUT", "/admin/system", { token: venue.adminToken, json });
    const order = { side: "buy", price: "500000000", quantity: "0.001" };
    try {
      expect((await set(settings)).status).toBe(200);
      expect([(await fritz.place(order)).status, (await fritz.place(order)).status]).toEqual([201, 201]);
      const third = await fritz.place(order);
      expect([third.status, third.body.code]).toEqual([409, "open_orders_limit"]);
      await set({ ...settings, maintenanceMode: true, maintenanceMessage: "Back at noon." });
      const closed = await fritz.place(order);
      expect([closed.status, closed.body.code, closed.body["detail"]]).toEqual([
        503,
        "venue_maintenance",
        "Back at noon.",
      ]);
    } finally {
      await set({ ...settings, maxOpenOrders: 50 });
    }
    expect((await fritz.place(order)).status).toBe(201);
  });

  it("freeze a suspended user in the engine too, and release the user on activation", async () => {
    const gustav = await venue.trader("gustav", { idr: "100000000" });
    const order = { side: "buy", price: "500000000", quantity: "0.001" };
    const change = (status: string) =>
      venue.call("PATCH", `/admin/users/${gustav.id}`, { token: venue.adminToken, json: { status } });
    expect((await change("suspended")).status).toBe(200);
    await expect.poll(() => venue.redis.hget("v1:{t0}:users", gustav.id)).toBe("1");
    expect((await gustav.place(order)).status).toBe(401);
    expect((await change("active")).status).toBe(200);
    const token = (await venue.login("gustav")).body.accessToken;
    expect(
      (await gustav.call("POST", "/orders", { token, json: { pair: "btcidr", type: "limit", ...order } })).status,
    ).toBe(201);
  });
});
