import { beforeAll, describe, expect, it, vi } from "vitest";
import { stallEngine } from "./stall-engine.ts";
import { startTradingVenue, type Trader, type TradingVenue } from "./trader.ts";

let venue: TradingVenue;
let anna: Trader;
let ben: Trader;

beforeAll(async () => {
  venue = await startTradingVenue();
  anna = await venue.trader("anna", { idr: "10000000000", btc: "10" });
  ben = await venue.trader("ben", { idr: "10000000000", btc: "10" });
});

const P = "1000000000";

describe("when PostgreSQL is unavailable", () => {
  it("trading and recent reads work", async () => {
    venue.postgres.freeze();
    try {
      const sell = await anna.place({ side: "sell", price: P, quantity: "0.003", clientOrderId: "away" });
      const buy = await ben.place({ side: "buy", price: P, quantity: "0.001" });
      expect([sell.status, buy.status, buy.body["status"]]).toEqual([201, 201, "filled"]);
      const order = { pair: "btcidr", side: "buy", type: "limit", price: P, quantity: "0.001" };
      const asked: readonly (readonly [string, string, unknown?])[] = [
        ["POST", "/orders/batch", { orders: [order] }],
        ["GET", "/orders"],
        ["GET", `/orders/${buy.body["id"]}`],
        ["GET", "/wallet"],
        ["GET", "/wallet/idr"],
        ["GET", "/wallet/history"],
        ["GET", "/trades"],
        ["GET", "/market/pairs"],
        ["GET", "/market/btcidr/book"],
        ["GET", "/market/btcidr/trades"],
        ["DELETE", "/orders?pair=btcidr"],
      ];
      for (const [method, path, json] of asked) {
        const answer = await ben.call(method, path, json === undefined ? {} : { json });
        expect([method, path, answer.status]).toEqual([method, path, 200]);
      }
      expect(
        (await ben.call("POST", "/wallet/withdrawals", { json: { currency: "idr", amount: "1", reference: "away" } }))
          .status,
      ).toBe(201);
      expect((await anna.call("DELETE", "/orders/client/away")).status).toBe(200);
    } finally {
      venue.postgres.thaw();
    }
  });
});

describe("two processes", () => {
  it("show a client the other's results if it sends the sequence", async () => {
    const other = await venue.again();
    for (let round = 0; round < 20; round++) {
      const { body, headers } = await anna.place({ side: "buy", price: "900000000", quantity: "0.001" });
      const sequence = headers.get("venue-sequence") ?? "";
      const read = await other.call("GET", `/orders/${body["id"]}`, {
        token: anna.token,
        headers: { "venue-sequence": sequence },
      });
      expect([read.status, read.body["status"]]).toEqual([200, "open"]);
      const cancelled = await other.call("DELETE", `/orders/${body["id"]}`, { token: anna.token });
      expect(cancelled.body).toMatchObject({ status: "cancelled" });
      const after = await venue.call("GET", "/orders?status=open", {
        token: anna.token,
        headers: { "venue-sequence": cancelled.headers.get("venue-sequence") ?? "" },
      });
      expect(after.body["orders"]).toEqual([]);
    }
  });

  it("answer 503 when the sequence is not reached in time, and refuse an invalid sequence", async () => {
    const behind = await anna.call("GET", "/orders", { headers: { "venue-sequence": "999999999" } });
    expect([behind.status, behind.body.code, behind.headers.get("retry-after")]).toEqual([
      503,
      "venue_catching_up",
      "1",
    ]);
    for (const sequence of ["-1", "1e3", "x", "9".repeat(16)]) {
      expect((await anna.call("GET", "/orders", { headers: { "venue-sequence": sequence } })).status).toBe(422);
    }
  });
});

describe("two processes, one of which changes the configuration,", () => {
  it("both know it immediately: a currency, a pair, an order in new ticks", async () => {
    const other = await venue.again();
    await vi.waitFor(async () => expect((await other.call("GET", "/market/pairs")).status).toBe(200));
    const put = (path: string, json: unknown) => venue.call("PUT", path, { token: venue.adminToken, json });
    const rates = { makerFeeRate: "0", takerFeeRate: "0", priceBandRate: "0.2", isTrading: true };
    for (const name of ["aaa", "bbb", "ccc", "ddd", "eee", "fff"]) {
      expect((await put(`/admin/currencies/${name}`, { scale: 4 })).status).toBe(200);
      const json = { userId: anna.id, currency: name, amount: "100", reference: `new-${name}` };
      expect((await other.call("POST", "/admin/wallet/deposits", { token: venue.adminToken, json })).status).toBe(201);
      const pair = `${name}idr`;
      const terms = {
        ...rates,
        baseCurrency: name,
        quoteCurrency: "idr",
        tickSize: "1",
        lotSize: "1",
        minimumValue: "1",
      };
      expect((await put(`/admin/pairs/${pair}`, terms)).status).toBe(200);
      const placed = await venue.call("POST", "/orders", {
        token: anna.token,
        json: { pair, side: "sell", type: "limit", price: "1001", quantity: "3" },
      });
      const cancelled = await other.call("DELETE", `/orders/${placed.body["id"]}`, { token: anna.token });
      expect([cancelled.status, cancelled.body]).toMatchObject([200, { pair, price: "1001", status: "cancelled" }]);
      expect((await put(`/admin/pairs/${pair}`, { ...terms, tickSize: "0.01" })).status).toBe(200);
      const finer = await venue.call("POST", "/orders", {
        token: anna.token,
        json: { pair, side: "sell", type: "limit", price: "1001.07", quantity: "3" },
      });
      const gone = await other.call("DELETE", "/orders", { token: anna.token });
      expect([finer.status, gone.status, gone.body["orders"]]).toMatchObject([201, 200, [{ price: "1001.07" }]]);
    }
  });
});

describe("an engine that does not answer", () => {
  it("leads to 202 after two seconds, and only its owner can read the outcome", async () => {
    await stallEngine(venue.redis, 8_000);
    const order = { side: "buy", price: P, quantity: "0.001", clientOrderId: "late" };
    const [placed, tooMuch, batch] = await Promise.all([
      anna.place(order),
      anna.place({ ...order, quantity: "1000", clientOrderId: "too-much" }),
      ben.call("POST", "/orders/batch", { json: { orders: [{ pair: "btcidr", type: "limit", ...order }] } }),
    ]);
    expect([placed.status, placed.body["state"]]).toEqual([202, "pending"]);
    expect(batch.body["results"]).toEqual([{ status: 202, commandId: expect.any(String) }]);
    const path = `/commands/${placed.body["commandId"]}`;
    expect(placed.headers.get("location")).toBe(`/api/v1${path}`);
    expect((await anna.call("GET", path)).body).toEqual({ state: "pending" });
    expect((await ben.call("GET", path)).body.code).toBe("command_not_found");
    await expect
      .poll(async () => (await anna.call("GET", path)).body, { timeout: 30_000 })
      .toMatchObject({ state: "done", orders: [{ clientOrderId: "late", status: "open" }] });
    expect((await anna.call("GET", `/commands/${tooMuch.body["commandId"]}`)).body).toEqual({
      state: "rejected",
      code: "balance_insufficient",
      title: "The available balance is insufficient.",
    });
    const again = await anna.place(order);
    expect([again.status, again.body["clientOrderId"]]).toEqual([200, "late"]);
    expect((await ben.call("GET", path)).body.code).toBe("command_not_found");
  });
});

describe("when the venue's Redis is unavailable", () => {
  it("orders and reads get 503, and nothing is executed later", async () => {
    const before = (await anna.call("GET", "/orders?status=open")).body;
    venue.redisServer.freeze();
    try {
      const order = { side: "buy", price: "900000000", quantity: "0.001" };
      const [placed, read] = await Promise.all([anna.place(order), anna.call("GET", "/wallet")]);
      expect([placed.status, placed.body.code, read.status]).toEqual([503, "store_unavailable", 503]);
      expect(placed.headers.get("retry-after")).toMatch(/^\d+$/);
    } finally {
      venue.redisServer.thaw();
    }
    await expect.poll(async () => (await anna.call("GET", "/orders?status=open")).status).toBe(200);
    expect((await anna.call("GET", "/orders?status=open")).body).toEqual(before);
  });
});
