import { beforeAll, describe, expect, it } from "vitest";
import { fieldsOf, startTradingVenue, type TradingVenue } from "./trader.ts";
import type { Json } from "./venue.ts";

let venue: TradingVenue;

beforeAll(async () => {
  venue = await startTradingVenue();
});

const put = (path: string, json: unknown) => venue.call("PUT", path, { token: venue.adminToken, json });

const terms = {
  baseCurrency: "eth",
  quoteCurrency: "btc",
  tickSize: "0.00001",
  lotSize: "0.001",
  minimumValue: "0.0001",
  makerFeeRate: "0",
  takerFeeRate: "0.0025",
  priceBandRate: "0",
  isTrading: true,
};

describe("pairs", () => {
  it("are four on the first start, public, with decimal terms", async () => {
    const { body } = await venue.call("GET", "/market/pairs");
    const pairs = body["pairs"] as readonly Json[];
    expect(
      pairs.map((pair) => [pair["pair"], pair["name"], pair["tickSize"], pair["lotSize"], pair["minimumValue"]]),
    ).toEqual([
      ["btcidr", "BTC/IDR", "1000", "0.00001", "10000"],
      ["btcusdt", "BTC/USDT", "0.01", "0.00001", "5"],
      ["ethidr", "ETH/IDR", "1000", "0.0001", "10000"],
      ["ethusdt", "ETH/USDT", "0.01", "0.0001", "5"],
    ]);
    expect(pairs[0]).toMatchObject({
      makerFeeRate: "0.001",
      takerFeeRate: "0.002",
      priceBandRate: "0.2",
      isTrading: true,
      lastPrice: null,
    });
  });

  it("are created and changed by admins, from the next order on", async () => {
    const anna = await venue.trader("anna", { btc: "1", eth: "10" });
    const made = await put("/admin/pairs/ethbtc", terms);
    expect([made.status, made.body]).toMatchObject([
      200,
      { ...terms, pair: "ethbtc", name: "ETH/BTC", version: 1, lastPrice: null },
    ]);
    const order = { pair: "ethbtc", side: "buy", price: "0.03", quantity: "1" };
    expect((await anna.place(order)).status).toBe(201);
    const coarser = await put("/admin/pairs/ethbtc", { ...terms, tickSize: "0.0001" });
    expect([coarser.status, coarser.body.code]).toEqual([409, "pair_has_orders"]);
    expect((await put("/admin/pairs/ethbtc", { ...terms, isTrading: false })).body).toMatchObject({
      isTrading: false,
      version: 2,
    });
    const halted = await anna.place(order);
    expect([halted.status, halted.body.code]).toEqual([409, "pair_halted"]);
    expect((await anna.call("DELETE", "/orders?pair=ethbtc")).body["orders"]).toHaveLength(1);
    expect((await put("/admin/pairs/ethbtc", { ...terms, tickSize: "0.0001" })).status).toBe(200);
    expect(fieldsOf(await anna.place({ ...order, price: "0.03001" }))).toEqual({
      price: "must be a multiple of the tick, 0.0001",
    });
    expect((await anna.place({ ...order, price: "0.0301" })).body).toMatchObject({ price: "0.0301", status: "open" });
    const { body } = await venue.call("GET", "/admin/audit?target=ethbtc", { token: venue.adminToken });
    expect((body["entries"] as Json[]).map(({ outcome, reason }) => reason ?? outcome)).toEqual([
      "done",
      "done",
      "pair_has_orders",
      "done",
    ]);
  });

  it("are refused with invalid terms", async () => {
    const bad = await put("/admin/pairs/ethbtc", {
      ...terms,
      tickSize: "0",
      makerFeeRate: "1.5",
      lotSize: "1e3",
      minimumValue: "-1",
    });
    expect([bad.status, Object.keys(fieldsOf(bad))]).toEqual([
      422,
      ["tickSize", "lotSize", "minimumValue", "makerFeeRate"],
    ]);
    const uneven = await put("/admin/pairs/ethxyz", { ...terms, quoteCurrency: "xyz" });
    expect([uneven.status, uneven.body.code]).toEqual([404, "currency_not_found"]);
    const inexact = await put("/admin/pairs/tiny", { ...terms, tickSize: "0.00000001", lotSize: "0.00000001" });
    expect([inexact.status, inexact.body.code]).toEqual([422, "terms_invalid"]);
    expect((await venue.call("GET", "/admin/pairs/tiny", { token: venue.adminToken })).body.code).toBe(
      "pair_not_found",
    );
  });

  it("need currencies, whose decimals never change", async () => {
    expect((await put("/admin/currencies/doge", { scale: 4 })).body).toEqual({ currency: "doge", scale: 4 });
    expect((await put("/admin/currencies/doge", { scale: 4 })).status).toBe(200);
    const changed = await put("/admin/currencies/doge", { scale: 6 });
    expect([changed.status, changed.body.code]).toEqual([409, "currency_fixed"]);
    const pair = {
      ...terms,
      baseCurrency: "doge",
      quoteCurrency: "idr",
      tickSize: "1",
      lotSize: "1",
      minimumValue: "1000",
    };
    expect((await put("/admin/pairs/dogeidr", pair)).status).toBe(200);
  });
});

describe("the book", () => {
  it("shows both sides by price, the best first, with the requested depth", async () => {
    const ben = await venue.trader("ben", { usdt: "100000", btc: "1" });
    const cora = await venue.trader("cora", { usdt: "100000", btc: "1" });
    const place = (trader: typeof ben, side: string, price: string, quantity: string) =>
      trader.place({ pair: "btcusdt", side, price, quantity });
    for (const [side, price] of [
      ["buy", "99000"],
      ["buy", "98000"],
      ["sell", "101000"],
      ["sell", "102000.5"],
    ] as const) {
      await place(ben, side, price, "0.1");
      await place(cora, side, price, "0.05");
    }
    await place(cora, "buy", "101000", "0.02");
    const book = async (query = "") => (await venue.call("GET", `/market/btcusdt/book${query}`)).body;
    await expect.poll(book).toMatchObject({
      pair: "btcusdt",
      bids: [
        ["99000", "0.15"],
        ["98000", "0.15"],
      ],
      asks: [
        ["101000", "0.13"],
        ["102000.5", "0.15"],
      ],
    });
    expect(await book("?depth=1")).toMatchObject({ bids: [["99000", "0.15"]], asks: [["101000", "0.13"]] });
    const { body } = await venue.call("GET", "/market/pairs");
    expect((body["pairs"] as Json[]).find(({ pair }) => pair === "btcusdt")).toMatchObject({ lastPrice: "101000" });
    expect((await venue.call("GET", "/market/nope/book")).body.code).toBe("pair_not_found");
    expect((await venue.call("GET", "/market/btcusdt/book?depth=5001")).status).toBe(422);
    await Promise.all([ben, cora].map((trader) => trader.call("DELETE", "/orders")));
    await expect.poll(book).toMatchObject({ bids: [], asks: [] });
  });
});
