import { beforeEach, describe, expect, it } from "vitest";
import { type RawResponse, sendRaw } from "../proxy/raw-http.ts";
import { startGateStack } from "./gate-stack.ts";

/** Two names are protected; one edge refuses all others, the other one forwards them. */
const stack = await startGateStack();
const refusing = await stack.startEdge();
const forwarding = await stack.startEdge({ variables: { SLUICE_UNKNOWN_HOSTS: "forward" } });
const { origin } = stack;
await stack.setQueue("shop", { mode: "maintenance" });
await stack.setQueue("shops", { mode: "maintenance" });
const SHOP_ROUTES = [
  { host: "shop.test", path: "/*", queueId: "shop" },
  { host: "*.shops.test", path: "/sale/*", queueId: "shops" },
  { host: "ports.test:8443", path: "/*", queueId: "shop" },
  { host: "[2001:db8::1]", path: "/*", queueId: "shop" },
];

beforeEach(() => origin.reset());

const get = (edge: { readonly port: number }, host: string, path = "/sale/x"): Promise<RawResponse> =>
  sendRaw(edge.port, `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nAccept: application/json\r\nConnection: close\r\n\r\n`);

const codeOf = ({ body }: RawResponse) => (JSON.parse(body.toString()) as { code?: string }).code;

const SEVERAL_NAMES = [
  "other.test",
  "shop.test.evil.test",
  "xshop.test",
  "shops.test",
  "127.0.0.1",
  "127.1",
  "localhost",
  "[::1]",
  "[::1]:8787",
  "[2001:db8::2]",
  "ports.test",
  "ports.test:99",
];
/** No name at all: a label is empty. */
const BROKEN_NAMES = ["shop.test..", "shop..test", ".shop.test", "a..shops.test", ".", "..", "shop.test..:80"];

await stack.setRoutes(SHOP_ROUTES);

describe("with routes for certain hosts", () => {
  it.each([...SEVERAL_NAMES, ...BROKEN_NAMES])("a host that no route names is refused: %s", async (host) => {
    const answer = await get(refusing, host);
    expect([answer.status, codeOf(answer)]).toEqual([421, "host_unknown"]);
    expect(origin.requests).toEqual([]);
  });

  it.each([
    "shop.test",
    "SHOP.Test",
    "shop.test.",
    "shop.test:99",
    "Shop.test.:99",
    "[2001:db8::1]",
    "[2001:DB8:0::0001]:99",
  ])("no spelling of a protected host passes its queue: %s", async (host) => {
    for (const edge of [refusing, forwarding]) expect((await get(edge, host)).status).toBe(503);
    expect(origin.requests).toEqual([]);
  });

  it("an escape in a host leads nowhere else; workerd itself answers it, with a bare 500", async () => {
    for (const edge of [refusing, forwarding])
      expect((await get(edge, "sh%6fp.test")).status).toBeGreaterThanOrEqual(500);
    expect(origin.requests).toEqual([]);
  });

  it("a path of a named host that no route covers is forwarded as before", async () => {
    expect((await get(refusing, "a.shops.test", "/other")).status).toBe(200);
    expect((await get(refusing, "a.shops.test", "/sale/x")).status).toBe(503);
  });

  it.each(SEVERAL_NAMES)("SLUICE_UNKNOWN_HOSTS=forward forwards a host that no route names: %s", async (host) => {
    expect((await get(forwarding, host)).status).toBe(200);
  });

  it.each(BROKEN_NAMES)("SLUICE_UNKNOWN_HOSTS=forward still refuses a host with an empty label: %s", async (host) => {
    expect((await get(forwarding, host)).status).toBe(421);
    expect(origin.requests).toEqual([]);
  });

  it("the gate's own paths answer under every host, because nothing of them is forwarded", async () => {
    for (const host of ["other.test", "shop.test.."]) {
      expect((await get(refusing, host, "/_sluice/jwks.json")).status).toBe(200);
      expect((await get(refusing, host, "/_sluice/queues/shop")).status).toBe(200);
    }
    expect(origin.requests).toEqual([]);
  });
});

describe("with a route for every host beside them", () => {
  it("other hosts reach what that route covers, and nothing else", async () => {
    await stack.setRoutes([...SHOP_ROUTES, { host: "*", path: "/everywhere/*", queueId: "shop" }]);
    expect((await get(refusing, "other.test", "/everywhere/x")).status).toBe(503);
    expect((await get(refusing, "other.test", "/sale/x")).status).toBe(421);
    expect(origin.requests).toEqual([]);
  });
});

describe("with routes that name no host", () => {
  it("nothing is refused for its host", async () => {
    await stack.setRoutes([{ host: "*", path: "/sale/*", queueId: "shop" }]);
    for (const host of ["other.test", "shop.test", "[::1]"])
      expect((await get(refusing, host, "/free")).status).toBe(200);
    for (const host of ["other.test", "shop.test..", "[::1]"]) expect((await get(refusing, host)).status).toBe(503);
  });
});
