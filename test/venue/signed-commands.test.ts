import { beforeAll, expect, it } from "vitest";
import { signRequest } from "../../kit/sign-request.ts";
import { createProcessLimits } from "../../origin/accounts/limits/process-limits.ts";
import { apiRoutes } from "../../origin/api/api-routes.ts";
import { createRequestNonce } from "../../origin/api/authenticate.ts";
import { programOperation } from "../../origin/api/operation.ts";
import { systemClock } from "../../shared/clock.ts";
import { ok } from "../../shared/result.ts";
import { startTradingVenue, type Trader, type TradingVenue } from "./trader.ts";
import type { Answer, TestVenue } from "./venue.ts";

/** Signed requests that become commands: no signature is written, and each request is executed once. */

let venue: TradingVenue;
let other: TestVenue;
let trader: Trader;
let key: { readonly id: string; readonly secret: string };

beforeAll(async () => {
  venue = await startTradingVenue();
  other = await venue.again();
  trader = await venue.trader("anna", { idr: "1000000000", btc: "10" });
  const json = { label: "robot", permissions: ["info", "trade", "withdraw"] };
  const { body } = await trader.call("POST", "/api-keys", { json });
  key = { id: String(body["id"]), secret: String(body["secret"]) };
});

type Signed = { readonly method: string; readonly path: string; readonly json?: unknown };

function sign({ method, path, json }: Signed): (at: TestVenue) => Promise<Answer> {
  const body = json === undefined ? undefined : JSON.stringify(json);
  const headers = {
    ...signRequest({ ...key, method, path: `/api/v1${path}`, ...(body === undefined ? {} : { body }) }),
    ...(body === undefined ? {} : { "content-type": "application/json" }),
  };
  return (at) => at.call(method, path, { headers, ...(body === undefined ? {} : { body }) });
}

const order = { pair: "btcidr", type: "limit", side: "buy", price: "1000000000", quantity: "0.0001" };
const placed = async (clientOrderId: string) => String((await trader.place({ ...order, clientOrderId })).body["id"]);

const { pair, ...working } = order;
const list = { type: "oto", pair, working, pending: { ...working, side: "sell", price: "1100000000" } };
const placedList = async (clientListId: string) =>
  String((await trader.call("POST", "/order-lists", { json: { ...list, clientListId } })).body["id"]);

/** One request for each operation that submits a command. */
const REQUESTS: Readonly<Record<string, () => Promise<Signed>>> = {
  placeOrder: async () => ({ method: "POST", path: "/orders", json: order }),
  placeOrders: async () => ({
    method: "POST",
    path: "/orders/batch",
    json: { orders: [order, { ...order, pair: "nope" }, order] },
  }),
  cancelOrder: async () => ({ method: "DELETE", path: `/orders/${await placed("one")}` }),
  cancelOrderByClientId: async () => ({ method: "DELETE", path: `/orders/client/${(await placed("two")) && "two"}` }),
  cancelOrders: async () => ({ method: "DELETE", path: "/orders?pair=ethidr" }),
  amendOrder: async () => ({
    method: "PATCH",
    path: `/orders/${await placed("three")}`,
    json: { quantity: "0.00005" },
  }),
  replaceOrder: async () => ({ method: "POST", path: `/orders/${await placed("four")}/replace`, json: { order } }),
  replaceOrderByClientId: async () => ({
    method: "POST",
    path: `/orders/client/${(await placed("five")) && "five"}/replace`,
    json: { order, onFailure: "continue" },
  }),
  cancelAfter: async () => ({ method: "PUT", path: "/orders/cancel-after", json: { seconds: 0 } }),
  placeOrderList: async () => ({ method: "POST", path: "/order-lists", json: list }),
  cancelOrderList: async () => ({ method: "DELETE", path: `/order-lists/${await placedList("one")}` }),
  cancelOrderListByClientId: async () => ({
    method: "DELETE",
    path: `/order-lists/client/${(await placedList("two")) && "two"}`,
  }),
  withdraw: async () => ({
    method: "POST",
    path: "/wallet/withdrawals",
    json: { currency: "idr", amount: "1", reference: "w1" },
  }),
};

it("covers every operation that submits a command", async () => {
  const { body } = await venue.call("GET", "/openapi.json");
  const paths = Object.values(body["paths"] as Record<string, Record<string, Record<string, unknown>>>);
  const changing = paths.flatMap((methods) =>
    Object.entries(methods).flatMap(([method, operation]) =>
      method !== "get" && operation["x-sluice-permission"] !== undefined ? [operation["operationId"]] : [],
    ),
  );
  expect(changing.toSorted()).toEqual(Object.keys(REQUESTS).toSorted());
});

it.each(Object.keys(REQUESTS))(
  "executes the same signed %s once, in whichever process, and stores no signature in Redis",
  async (id) => {
    const request = sign(await (REQUESTS[id] as () => Promise<Signed>)());
    const isFirstHere = id.length % 2 === 0;
    const first = await request(isFirstHere ? venue : other);
    expect([first.status, first.text]).toEqual([expect.any(Number), expect.any(String)]);
    expect(first.status).toBeLessThan(300);
    for (const at of [venue, other]) {
      const again = await request(at);
      expect([again.status, again.body.code]).toEqual([401, "request_replayed"]);
    }
    expect(await venue.redis.keys("apikey:*:seen:*")).toEqual([]);
  },
);

it("executes one of many equal signed orders that arrive at once, at two processes", async () => {
  const request = sign({ method: "POST", path: "/orders", json: { ...order, price: "1000001000" } });
  const answers = await Promise.all(Array.from({ length: 40 }, (_, index) => request(index % 2 === 0 ? venue : other)));
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
  expect(answers.filter(({ body }) => body.code === "request_replayed")).toHaveLength(39);
});

it("refuses a revoked key's order with the next request", async () => {
  const json = { label: "short", permissions: ["trade"] };
  const { body } = await trader.call("POST", "/api-keys", { json });
  const own = { id: String(body["id"]), secret: String(body["secret"]) };
  const before = key;
  key = own;
  expect((await sign({ method: "POST", path: "/orders", json: order })(other)).status).toBe(201);
  await trader.call("DELETE", `/api-keys/${own.id}`);
  expect((await sign({ method: "POST", path: "/orders", json: { ...order, quantity: "0.0002" } })(other)).status).toBe(
    401,
  );
  key = before;
});

it("answers a batch without a valid order, and accepts it again", async () => {
  const request = sign({ method: "POST", path: "/orders/batch", json: { orders: [{ ...order, pair: "nope" }] } });
  for (let times = 0; times < 2; times++) {
    const { status, body } = await request(venue);
    expect([status, body["results"]]).toMatchObject([200, [{ status: 404, code: "pair_not_found" }]]);
  }
});

it("fails an operation that declares a command and submits none", async () => {
  const forgetful = programOperation({
    ...{
      method: "post",
      path: "/forget",
      id: "forget",
      summary: "",
      limit: "trade",
      permission: "trade",
      submitsCommand: true,
    },
    ...{ answers: { 204: { description: "" } }, refusals: [] },
    run: async (caller) => caller.answer(204),
  });
  const user = { id: "anna", role: "user" } as never;
  const identity = {
    user,
    apiKey: { id: "k", permissions: ["trade"] as const },
    nonce: createRequestNonce({ id: "n", until: 1 }),
  };
  const routes = apiRoutes({
    operations: [forgetful],
    authenticate: async () => ok(identity),
    limits: createProcessLimits(systemClock, { requestsPerAddress: 10 }),
    isReady: () => true,
    maintenance: () => undefined,
  });
  let told = "";
  routes.onError((error, c) => {
    told = error.message;
    return c.text("", 500);
  });
  expect((await routes.request("http://venue.test/forget", { method: "POST" })).status).toBe(500);
  expect(told).toContain("forget submits its command with the nonce");
});
