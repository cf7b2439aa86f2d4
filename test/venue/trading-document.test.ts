import { beforeAll, expect, it, vi } from "vitest";
import { z } from "zod";
import { startTradingVenue, type Trader, type TradingVenue } from "./trader.ts";
import type { Answer } from "./venue.ts";

type Document = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, unknown>> };
};
type Described = {
  readonly responses: Readonly<Record<string, { content?: Record<string, { schema: Record<string, unknown> }> }>>;
};

let venue: TradingVenue;

beforeAll(async () => {
  venue = await startTradingVenue();
});

type Told = readonly [string, string, Answer];

async function answersAboutChanges(anna: Trader): Promise<readonly Told[]> {
  const order = { pair: "btcidr", type: "limit", side: "buy", price: "900000000", quantity: "0.002" };
  const id = async () => String((await anna.place(order)).body["id"]);
  const patch = async (quantity: string) => anna.call("PATCH", `/orders/${await id()}`, { json: { quantity } });
  const replace = async (json: object) => anna.call("POST", `/orders/${await id()}/replace`, { json });
  return [
    ["patch", "/orders/{orderId}", await patch("0.001")],
    ["post", "/orders/{orderId}/replace", await replace({ order })],
    [
      "post",
      "/orders/{orderId}/replace",
      await replace({ order: { ...order, quantity: "9999" }, onFailure: "continue" }),
    ],
    ["put", "/orders/cancel-after", await anna.call("PUT", "/orders/cancel-after", { json: { seconds: 9 } })],
    ["put", "/orders/cancel-after", await anna.call("PUT", "/orders/cancel-after", { json: { seconds: 0 } })],
    [
      "post",
      "/orders",
      await anna.place({ ...order, targetProfit: "3", stopLoss: "4", expiresAt: Date.now() + 60_000 }),
    ],
    ["post", "/orders", await anna.place({ type: "stop", side: "sell", trailingBps: 100, quantity: "0.01" })],
    ["get", "/orders", await anna.call("GET", "/orders?status=pending")],
  ];
}

async function answersAboutLists(anna: Trader): Promise<readonly Told[]> {
  const legs = { above: { type: "limit", price: "1100000000" }, below: { type: "stop", stopPrice: "900000000" } };
  const json = { type: "oco", pair: "btcidr", side: "sell", quantity: "0.01", ...legs, clientListId: "list" };
  const placed = await anna.call("POST", "/order-lists", { json });
  const path = `/order-lists/${String(placed.body["id"])}`;
  return [
    ["post", "/order-lists", placed],
    ["post", "/order-lists", await anna.call("POST", "/order-lists", { json })],
    ["get", "/order-lists", await anna.call("GET", "/order-lists")],
    ["get", "/order-lists/{listId}", await anna.call("GET", path)],
    ["delete", "/order-lists/{listId}", await anna.call("DELETE", path)],
    ["delete", "/orders", await anna.call("DELETE", "/orders")],
  ];
}

it("describes the actual answers of trading, refusals included", async () => {
  const document = (await venue.call("GET", "/openapi.json")).body as unknown as Document;
  const anna = await venue.trader("anna", { idr: "1000000000", btc: "1" });
  const ben = await venue.trader("ben", { idr: "1000000000", btc: "1" });
  const order = {
    pair: "btcidr",
    type: "limit",
    side: "sell",
    price: "1000000000",
    quantity: "0.002",
    clientOrderId: "a",
  };
  const admin = (json?: unknown) => ({ token: venue.adminToken, ...(json === undefined ? {} : { json }) });
  const placed = await anna.call("POST", "/orders", { json: order });
  const id = String(placed.body["id"]);
  const money = { currency: "idr", amount: "1", reference: "r" };
  const {
    name: _name,
    pair: _pair,
    lastPrice: _lastPrice,
    version: _version,
    ...terms
  } = (await venue.call("GET", "/admin/pairs/btcidr", admin())).body as Record<string, unknown>;
  const answers: readonly (readonly [string, string, Answer])[] = [
    ["post", "/orders", placed],
    ["post", "/orders", await anna.call("POST", "/orders", { json: order })],
    ["post", "/orders", await ben.place({ side: "buy", price: "1000000000", quantity: "0.001" })],
    ["post", "/orders", await ben.place({ type: "market", side: "buy", quoteAmount: "500000" })],
    ["post", "/orders", await anna.call("POST", "/orders", { json: { ...order, price: "7" } })],
    ["post", "/orders", await anna.call("POST", "/orders", { json: { ...order, price: "999999000" } })],
    [
      "post",
      "/orders/batch",
      await anna.call("POST", "/orders/batch", { json: { orders: [order, 1, { ...order, clientOrderId: "b" }] } }),
    ],
    ["get", "/orders", await anna.call("GET", "/orders")],
    ["get", "/orders/{orderId}", await anna.call("GET", `/orders/${id}`)],
    ["get", "/trades", await anna.call("GET", "/trades")],
    ["delete", "/orders/{orderId}", await anna.call("DELETE", `/orders/${id}`)],
    ["delete", "/orders/{orderId}", await anna.call("DELETE", `/orders/${id}`)],
    ["delete", "/orders/client/{clientOrderId}", await anna.call("DELETE", "/orders/client/b")],
    ["delete", "/orders", await anna.call("DELETE", "/orders")],
    ...(await answersAboutChanges(anna)),
    ...(await answersAboutLists(anna)),
    ["get", "/commands/{commandId}", await anna.call("GET", "/commands/x")],
    ["get", "/wallet", await anna.call("GET", "/wallet")],
    ["get", "/wallet/{currency}", await anna.call("GET", "/wallet/idr")],
    ["post", "/wallet/withdrawals", await anna.call("POST", "/wallet/withdrawals", { json: money })],
    ["get", "/wallet/history", await anna.call("GET", "/wallet/history")],
    [
      "post",
      "/admin/wallet/deposits",
      await venue.call("POST", "/admin/wallet/deposits", admin({ ...money, userId: anna.id })),
    ],
    [
      "post",
      "/admin/wallet/transfers",
      await venue.call("POST", "/admin/wallet/transfers", admin({ ...money, from: anna.id, to: ben.id })),
    ],
    ["get", "/admin/pairs/{pair}", await venue.call("GET", "/admin/pairs/btcidr", admin())],
    ["put", "/admin/pairs/{pair}", await venue.call("PUT", "/admin/pairs/btcidr", admin(terms))],
    ["put", "/admin/currencies/{currency}", await venue.call("PUT", "/admin/currencies/xrp", admin({ scale: 6 }))],
    ["get", "/market/pairs", await venue.call("GET", "/market/pairs")],
    ["get", "/market/{pair}/book", await venue.call("GET", "/market/btcidr/book")],
    ["get", "/market/{pair}/trades", await venue.call("GET", "/market/btcidr/trades")],
    ["get", "/market/summary", await eventually(() => venue.call("GET", "/market/summary"))],
    ["get", "/market/{pair}/summary", await venue.call("GET", "/market/btcidr/summary")],
    ["get", "/market/{pair}/candles", await venue.call("GET", "/market/btcidr/candles?fill=prev&limit=3")],
    ["get", "/market/pump", await venue.call("GET", "/market/pump")],
    ["get", "/market/gaps", await venue.call("GET", "/market/gaps")],
    ["get", "/positions", await anna.call("GET", "/positions")],
  ];
  for (const [method, path, answer] of answers) {
    const where = `${method} ${path} ${answer.status}`;
    const type = answer.headers.get("content-type")?.split(";")[0] ?? "";
    const schema = document.paths[path]?.[method]?.responses[answer.status]?.content?.[type]?.schema;
    expect(schema, where).toBeDefined();
    const text = JSON.stringify({ ...schema, $defs: document.components.schemas }).replaceAll(
      "#/components/schemas/",
      "#/$defs/",
    );
    const parsed = z.fromJSONSchema(JSON.parse(text) as Parameters<typeof z.fromJSONSchema>[0]).safeParse(answer.body);
    expect(parsed.error?.issues ?? [], where).toEqual([]);
  }
  const refused = answers
    .filter(([, , { status }]) => status >= 400)
    .map(([, path, { status }]) => `${path} ${status}`);
  expect(refused).toEqual(["/orders 422", "/orders 409", "/orders/{orderId} 409", "/commands/{commandId} 404"]);
});

/** Market data follows within a second. */
const eventually = (call: () => Promise<Answer>) =>
  vi.waitFor(async () => {
    const answer = await call();
    expect(answer.status).toBe(200);
    return answer;
  }, 10_000);
