import { once } from "node:events";
import { decodeJwt } from "jose";
import { beforeEach, describe, expect, it } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { directoryKeys, queueKeys } from "../../edge/line/keys.ts";
import { openLine } from "../../edge/line/line.ts";
import { createTokenForge } from "../../kit/token-forge.ts";
import { HURRIED } from "../../kit/unhurried.ts";
import { scriptRunner } from "../../origin/redis/script-runner.ts";
import { startGateStack } from "./gate-stack.ts";
import { createVisitor, JSON_PLEASE, type Seen, until, type Visitor } from "./visitor.ts";

/** An edge that starts while the store is unavailable serves requests by the contents of the pass. */
const stack = await startGateStack({ variables: HURRIED });
const { origin, redis } = stack;
const ANSWER_MS_MAX = 1_000;

await stack.setQueue("shop");
await stack.setQueue("vip", { onStoreFailure: "open" });
await stack.setRoutes([
  { host: "*", path: "/shop/*", queueId: "shop" },
  { host: "*", path: "/shop/vip/*", queueId: "vip" },
]);
await until(async () =>
  (await createVisitor(stack.url).get("/shop/vip/")).setCookies.some((line) => line.startsWith("sluice-pass-vip=")),
);

beforeEach(() => origin.reset());

const line = openLine({ store: scriptRunner(redis), queueId: "shop", ticketLifeMs: 60_000, random: () => 0.5 });

async function admitted(path = "/shop/"): Promise<Visitor> {
  const visitor = createVisitor(stack.url);
  await visitor.get(path);
  expect(visitor.cookies.size).toBe(1);
  return visitor;
}

const passOf = (visitor: Visitor) => [...visitor.cookies.values()][0] ?? "";
const sessionOf = (visitor: Visitor) => String(decodeJwt(passOf(visitor)).sub);
const cookieOf = (visitor: Visitor) => [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join("; ");

function expectServed(seen: Seen, visitor: Visitor, path: string): void {
  expect([seen.status, seen.json["url"], seen.tookMs < ANSWER_MS_MAX]).toEqual([200, path, true]);
  const request = origin.requests.find(({ url }) => url === path);
  expect(request?.headers.get("x-sluice-pass")).toEqual([passOf(visitor)]);
}

function expectRefused(seen: Seen): void {
  expect([seen.status, seen.json["code"], seen.tookMs < ANSWER_MS_MAX]).toEqual([503, "store_unavailable", true]);
  expect(seen.headers.has("retry-after")).toBe(true);
}

/** Guarantees for every store that does not answer, however it fails. */
async function expectPassesAlone(url: string, [shopper, vip]: readonly [Visitor, Visitor]): Promise<void> {
  const at = (headers: Readonly<Record<string, string>>, path: string) =>
    createVisitor(url).get(path, { ...JSON_PLEASE, ...headers });
  const both = { cookie: `${cookieOf(vip)}; ${cookieOf(shopper)}` };
  for (let round = 0; round < 4; round++) {
    expectServed(await at(both, `/shop/${round}`), shopper, `/shop/${round}`);
    expectServed(await at(both, `/SHOP/%76IP/${round}`), vip, `/SHOP/vIP/${round}`);
    expectServed(await at({ cookie: cookieOf(shopper) }, `/shop/alone-${round}`), shopper, `/shop/alone-${round}`);
    expectRefused(await at({ cookie: cookieOf(shopper) }, "/shop/vip/x"));
    expectRefused(await at({ cookie: cookieOf(vip) }, "/shop/x"));
    expectRefused(await at(both, "/free"));
    expectRefused(await at({}, "/shop/x"));
    expectRefused(await at({}, "/shop/vip/x"));
  }
  const authorization = `Bearer ${passOf(shopper)}`;
  expectServed(await at({ authorization }, "/shop/bearer"), shopper, "/shop/bearer");
  expect(origin.requests.at(-1)?.headers.has("authorization")).toBe(false);
  expectRefused(await at({ authorization }, "/shop/vip/bearer"));
  expect(origin.requests).toHaveLength(4 * 3 + 1);
}

describe("an edge that starts while the store hangs", () => {
  it("serves a pass within its scope, refuses all other requests, and makes no request wait", async () => {
    const holders = [await admitted(), await admitted("/shop/vip/")] as const;
    origin.reset();
    stack.redisServer.freeze();
    try {
      const cold = await stack.startEdge();
      await expectPassesAlone(cold.url, holders);
      stack.redisServer.thaw();
      await until(async () => (await createVisitor(cold.url).get("/shop/", JSON_PLEASE)).status === 200);
    } finally {
      stack.redisServer.thaw();
    }
  });
});

describe("an edge that cannot read the routes", () => {
  async function withBrokenRoutes(work: (url: string) => Promise<void>): Promise<void> {
    const routes = await redis.get(directoryKeys.routes);
    await redis.set(directoryKeys.routes, "[{");
    try {
      await work((await stack.startEdge()).url);
    } finally {
      await redis.set(directoryKeys.routes, routes ?? "[]");
    }
  }

  it("refuses a revoked session, closes its socket, and accepts no forged pass", async () => {
    const [visitor, revoked] = [await admitted(), await admitted()];
    await line.end({ sessionId: sessionOf(revoked), reason: "revoked" });
    origin.reset();
    const forge = await createTokenForge({ kind: "pass", nowSeconds: Math.floor(Date.now() / 1000), jwk: stack.key });
    const strangers = await createTokenForge({ kind: "pass", nowSeconds: forge.nowSeconds });
    await withBrokenRoutes(async (url) => {
      expectServed(await createVisitor(url).get("/shop/x", { cookie: cookieOf(visitor) }), visitor, "/shop/x");
      expectRefused(await createVisitor(url).get("/shop/x", { ...JSON_PLEASE, cookie: cookieOf(revoked) }));
      const scope = { aud: "sluice:pass:shop", scope: ["*/*"] };
      const wrongs = [
        await strangers.token({ claims: scope }),
        await forge.token({ claims: { ...scope, exp: forge.nowSeconds - 10, iat: forge.nowSeconds - 20 } }),
        await forge.token({ claims: { aud: scope.aud } }),
        await forge.token({ claims: { ...scope, scope: ["*/other/*"] } }),
        await forge.token({ claims: { ...scope, aud: "sluice:pass:vip" } }),
        await forge.token({ claims: { ...scope, sub: "open" } }),
      ];
      for (const token of wrongs) {
        expectRefused(await createVisitor(url).get("/shop/x", { ...JSON_PLEASE, cookie: `sluice-pass-shop=${token}` }));
      }
      const many = Array.from({ length: 8 }, (_, index) => `sluice-pass-q${index}=x`).join("; ");
      expectRefused(
        await createVisitor(url).get("/shop/x", { ...JSON_PLEASE, cookie: `${many}; ${cookieOf(visitor)}` }),
      );
      expect(origin.requests).toHaveLength(1);

      const sockets = new WebSocketServer({ noServer: true });
      origin.upgradeWith((request, socket, head) =>
        sockets.handleUpgrade(request, socket, head, (end) => void end.on("message", (data) => end.send(data))),
      );
      const client = new WebSocket(`${url.replace("http", "ws")}/shop/socket`, {
        headers: { cookie: cookieOf(visitor) },
      });
      await once(client, "open");
      client.send("hello");
      expect(String((await once(client, "message"))[0])).toBe("hello");
      const closed = once(client, "close");
      await line.end({ sessionId: sessionOf(visitor), reason: "revoked" });
      expect(((await closed) as [number, Buffer]).map(String)).toEqual(["4001", "revoked"]);
    });
  });

  it("obeys the application: a session that it completes is over here", async () => {
    const visitor = await admitted();
    await withBrokenRoutes(async (url) => {
      origin.answerWith((_request, response) => void response.setHeader("x-sluice-command", "complete").end("done"));
      const seen = await createVisitor(url).get("/shop/last", { cookie: cookieOf(visitor) });
      expect([seen.text, seen.headers.has("x-sluice-command")]).toEqual(["done", false]);
      expect(seen.setCookies.join()).toMatch(/^sluice-pass-shop=; Max-Age=0/);
      expectRefused(await createVisitor(url).get("/shop/x", { ...JSON_PLEASE, cookie: cookieOf(visitor) }));
    });
  });
});

describe("an edge that knows the routes and cannot read the queue", () => {
  it("serves only the queue's passes, also without a scope", async () => {
    const [visitor, revoked] = [await admitted(), await admitted()];
    await line.end({ sessionId: sessionOf(revoked), reason: "revoked" });
    const { meta } = queueKeys("shop");
    const mode = (await redis.hget(meta, "mode")) ?? "";
    await redis.hset(meta, "mode", "nonsense");
    try {
      const { url } = await stack.startEdge();
      expectServed(await createVisitor(url).get("/shop/x", { cookie: cookieOf(visitor) }), visitor, "/shop/x");
      expectRefused(await createVisitor(url).get("/shop/y", { ...JSON_PLEASE, cookie: cookieOf(revoked) }));
      expectRefused(await createVisitor(url).get("/shop/y", JSON_PLEASE));
      expect((await createVisitor(url).get("/free")).status).toBe(200);
      const forge = await createTokenForge({ kind: "pass", nowSeconds: Math.floor(Date.now() / 1000), jwk: stack.key });
      const plain = await forge.token({ claims: { aud: "sluice:pass:shop" } });
      expect((await createVisitor(url).get("/shop/z", { cookie: `sluice-pass-shop=${plain}` })).json["url"]).toBe(
        "/shop/z",
      );
    } finally {
      await redis.hset(meta, "mode", mode);
    }
  });
});

describe("an edge that starts after the store was killed", () => {
  it("serves a pass within its scope, refuses all other requests, and makes no request wait", async () => {
    const holders = [await admitted(), await admitted("/shop/vip/")] as const;
    origin.reset();
    await stack.redisServer.stop();
    const cold = await stack.startEdge();
    await expectPassesAlone(cold.url, holders);
    const page = await createVisitor(cold.url).get("/shop/x", { accept: "text/html" });
    expect([page.status, page.text.includes("<h1")]).toEqual([503, true]);
  });
});
