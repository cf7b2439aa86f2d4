import { once } from "node:events";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { EDGE_RUNTIME } from "../../kit/start-edge.ts";
import { freePort } from "../../stack/servers/free-port.ts";
import { rawGet, sendRaw } from "../proxy/raw-http.ts";
import { startRecordingOrigin } from "../proxy/recording-origin.ts";
import { startGateStack } from "./gate-stack.ts";
import { createVisitor, JSON_PLEASE, until, type Visitor } from "./visitor.ts";

/** Two applications behind one gate: the origin, and the upstream of a single queue. */
const stack = await startGateStack({ variables: { SLUICE_ALLOW_PRIVATE_TARGETS: "1", ORIGIN_TIMEOUT_MS: "1000" } });
const { origin, url } = stack;
const upstream = await startRecordingOrigin();
afterAll(() => upstream.stop());
await stack.setQueue("plain");
await stack.setQueue("far", { targetUrl: `http://${upstream.address}` });
await stack.setQueue("gone", { targetUrl: `http://127.0.0.1:${await freePort()}` });
await stack.setQueue("open", { targetUrl: `http://${upstream.address}`, mode: "open" });

beforeEach(() => {
  origin.reset();
  upstream.reset();
});

async function admitted(queueId: string): Promise<Visitor> {
  const visitor = createVisitor(url);
  await visitor.get(`/${queueId}/`);
  expect(visitor.cookies.has(`sluice-pass-${queueId}`)).toBe(true);
  origin.reset();
  upstream.reset();
  return visitor;
}

const cookieOf = (visitor: Visitor) => [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join("; ");

describe("a queue with its own upstream", () => {
  it("sends only its visitors there, from their first request on", async () => {
    const visitor = createVisitor(url);
    expect((await visitor.get("/far/first?a=b")).json["url"]).toBe("/far/first?a=b");
    expect((await visitor.get("/far/second")).json["url"]).toBe("/far/second");
    expect((await createVisitor(url).get("/open/x")).json["url"]).toBe("/open/x");
    expect(upstream.requests.map((request) => request.url)).toEqual(["/far/first?a=b", "/far/second", "/open/x"]);
    for (const { headers } of upstream.requests) expect(headers.get("x-sluice-pass")?.[0]).toMatch(/^eyJ/);
    expect(origin.requests).toEqual([]);
    await createVisitor(url).get("/plain/x");
    await createVisitor(url).get("/free");
    expect(origin.requests.map((request) => request.url)).toEqual(["/plain/x", "/free"]);
    expect(upstream.requests).toHaveLength(3);
  });

  it("is where a bypass of the queue leads, too", async () => {
    const { routes } = await stack.registry.readDirectory();
    await stack.setRoutes(routes, [{ host: "*", path: "/far/assets/*" }]);
    await until(async () => (await createVisitor(url).get("/far/assets/x.css")).setCookies.length === 0);
    expect(upstream.requests.at(-1)?.url).toBe("/far/assets/x.css");
    expect(origin.requests).toEqual([]);
  });

  it("asks under the upstream's own host, and tells it the visitor's", async () => {
    const visitor = await admitted("far");
    const lines = [`Cookie: ${cookieOf(visitor)}`, "X-Forwarded-For: 203.0.113.9", "X-Sluice-Pass: mine", "X-Kept: 1"];
    expect((await sendRaw(stack.edges[0]?.port ?? 0, rawGet("/far/x", lines))).status).toBe(200);
    const headers = upstream.requests[0]?.headers;
    expect(headers?.get("host")).toEqual([upstream.address]);
    expect(headers?.get("x-forwarded-host")).toEqual(["shop.test"]);
    expect(headers?.get("x-forwarded-proto")).toEqual(["http"]);
    expect(headers?.get("x-forwarded-for")).toEqual(["127.0.0.1"]);
    expect(headers?.get("x-sluice-pass")).toEqual([visitor.cookies.get("sluice-pass-far")]);
    expect(headers?.get("x-kept")).toEqual(["1"]);
  });

  it("carries bodies, and does not follow a redirect", async () => {
    const visitor = await admitted("far");
    const sent = await visitor.send("POST", "/far/upload", { "content-type": "text/plain" }, "x".repeat(300_000));
    expect([sent.json["method"], sent.json["bytes"]]).toEqual(["POST", 300_000]);
    expect((await visitor.send("DELETE", "/far/item")).json["method"]).toBe("DELETE");
    upstream.answerWith(
      (_request, response) => void response.writeHead(302, { location: `http://${origin.address}/stolen` }).end(),
    );
    const redirected = await visitor.get("/far/away");
    expect([redirected.status, redirected.headers.get("location")]).toEqual([302, `http://${origin.address}/stolen`]);
    expect(origin.requests).toEqual([]);
  });

  it("does not lose the body of a GET: it is forwarded, or refused where the runtime cannot", async () => {
    const visitor = await admitted("far");
    const lines = [`Cookie: ${cookieOf(visitor)}`, "Content-Length: 5"];
    const { status } = await sendRaw(stack.edges[0]?.port ?? 0, `${rawGet("/far/search", lines)}hello`);
    expect([status, upstream.requests.map(({ body }) => body.toString())]).toEqual(
      EDGE_RUNTIME === "node" ? [200, ["hello"]] : [400, []],
    );
  });

  it("streams: the first piece is there before the last one is made", async () => {
    const visitor = await admitted("far");
    let finish = () => {};
    upstream.answerWith((_request, response) => {
      response.write("first");
      finish = () => void response.end("last");
    });
    const response = await fetch(`${url}/far/stream`, { headers: { cookie: cookieOf(visitor) } });
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    expect((await reader?.read())?.value).toBe("first");
    finish();
    expect((await reader?.read())?.value).toBe("last");
  });

  it("carries a WebSocket", async () => {
    const visitor = await admitted("far");
    const sockets = new WebSocketServer({ noServer: true });
    upstream.upgradeWith((request, socket, head) =>
      sockets.handleUpgrade(
        request,
        socket,
        head,
        (end) => void end.on("message", (data) => end.send(`heard ${String(data)}`)),
      ),
    );
    const client = new WebSocket(`${url.replace("http", "ws")}/far/socket`, { headers: { cookie: cookieOf(visitor) } });
    await once(client, "open");
    client.send("hello");
    expect(String((await once(client, "message"))[0])).toBe("heard hello");
    const closed = once(client, "close");
    client.close(4000, "bye");
    await closed;
  });

  it("obeys its application's command, and keeps it from the visitor", async () => {
    const visitor = await admitted("far");
    upstream.answerWith((_request, response) => void response.setHeader("x-sluice-command", "complete").end("done"));
    const seen = await visitor.get("/far/last");
    expect([seen.text, seen.headers.has("x-sluice-command"), visitor.cookies.size]).toEqual(["done", false, 0]);
  });

  it("answers 502 when the upstream is unavailable and 504 when it is silent, and never asks the origin instead", async () => {
    const gone = await createVisitor(url).get("/gone/x", JSON_PLEASE);
    expect([gone.status, gone.json["code"]]).toEqual([502, "origin_unreachable"]);
    const visitor = await admitted("far");
    upstream.answerWith(() => {});
    const silent = await visitor.get("/far/slow", JSON_PLEASE);
    expect([silent.status, silent.json["code"]]).toEqual([504, "origin_timeout"]);
    expect(origin.requests).toEqual([]);
  });

  it("keeps its upstream's address from visitors: a pass does not show it", async () => {
    const visitor = await admitted("far");
    const payload = visitor.cookies.get("sluice-pass-far")?.split(".")[1] ?? "";
    const claims = JSON.parse(Buffer.from(payload, "base64url").toString()) as Record<string, unknown>;
    expect(claims["upstream"]).toMatch(/^[\w-]{40,}$/);
    expect(Buffer.from(String(claims["upstream"]), "base64url").toString("latin1")).not.toContain("127.0.0.1");
    expect(JSON.stringify((await createVisitor(url).get("/_sluice/queues/far")).json)).not.toContain("127.0.0.1");
  });
});

describe("an edge that may not reach private addresses", () => {
  it("answers 502 for a private upstream, even if it was written directly", async () => {
    const strict = await stack.startEdge({ variables: { SLUICE_ALLOW_PRIVATE_TARGETS: "0" } });
    for (const path of ["/far/x", "/open/x"]) {
      const seen = await createVisitor(strict.url).get(path, JSON_PLEASE);
      expect([seen.status, seen.json["code"]]).toEqual([502, "origin_unreachable"]);
    }
    expect((await createVisitor(strict.url).get("/plain/x")).json["url"]).toBe("/plain/x");
    expect(upstream.requests).toEqual([]);
  });
});

describe("an edge that starts while the store is unavailable", () => {
  it("forwards the holder of a pass to the upstream of that pass's queue", async () => {
    const [far, plain] = [await admitted("far"), await admitted("plain")];
    await stack.redisServer.stop();
    const { url: cold } = await stack.startEdge();
    expect((await createVisitor(cold).get("/far/x", { cookie: cookieOf(far) })).json["url"]).toBe("/far/x");
    expect((await createVisitor(cold).get("/plain/x", { cookie: cookieOf(plain) })).json["url"]).toBe("/plain/x");
    expect([upstream.requests.map((request) => request.url), origin.requests.map((request) => request.url)]).toEqual([
      ["/far/x"],
      ["/plain/x"],
    ]);
  });
});
