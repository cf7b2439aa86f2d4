// @module-tag timing: sessions end within seconds of their time.
import { once } from "node:events";
import { decodeJwt } from "jose";
import { describe, expect, it, vi } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { startGateStack } from "./gate-stack.ts";
import { createVisitor, JSON_PLEASE, until, type Visitor } from "./visitor.ts";

/** Tests that take as long as a session. They run concurrently: every test has its own queue and addresses. */
vi.setConfig({ maxConcurrency: 10 });
const stack = await startGateStack();
const { origin, url, redis } = stack;
const SHORTEST_SECONDS = 10;
const SHORTEST_MS = SHORTEST_SECONDS * 1_000;

await stack.setQueue("renewed", { sessionTtlSeconds: SHORTEST_SECONDS });
await stack.setQueue("fixed", { sessionTtlSeconds: SHORTEST_SECONDS, sessionRenewal: false });
await stack.setQueue("extended", { sessionTtlSeconds: SHORTEST_SECONDS, sessionRenewal: false });
await stack.setQueue("socket", { sessionTtlSeconds: SHORTEST_SECONDS, sessionRenewal: false });

/** As the first start's demo, but for the idle time. */
await stack.setQueue("vanished", { maxActive: 3, admissionRate: 1, admissionBurst: 3, idleSeconds: SHORTEST_SECONDS });
await stack.setQueue("idle", { idleSeconds: SHORTEST_SECONDS });
await stack.setQueue("idle-socket", { idleSeconds: SHORTEST_SECONDS });

await stack.setQueue("closing");

const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false });
origin.upgradeWith((request, socket, head) => sockets.handleUpgrade(request, socket, head, () => {}));

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const passOf = (visitor: Visitor, queueId: string) => visitor.cookies.get(`sluice-pass-${queueId}`) ?? "";
const sessionOf = (visitor: Visitor, queueId: string) => String(decodeJwt(passOf(visitor, queueId)).sub);
const slotEndMs = async (queueId: string, session: string) =>
  Number(await redis.zscore(`queue:{${queueId}}:active`, session));

async function admitted(queueId: string): Promise<Visitor> {
  const visitor = createVisitor(url);
  await visitor.get(`/${queueId}/`);
  expect(passOf(visitor, queueId)).not.toBe("");
  // The second request claims the session.
  await visitor.get(`/${queueId}/`);
  return visitor;
}

async function openSocket(queueId: string): Promise<{ readonly visitor: Visitor; readonly client: WebSocket }> {
  const visitor = await admitted(queueId);
  const headers = { cookie: `sluice-pass-${queueId}=${passOf(visitor, queueId)}` };
  const client = new WebSocket(`${url.replace("http", "ws")}/${queueId}/x`, { headers, perMessageDeflate: false });
  await once(client, "open");
  return { visitor, client };
}

describe.concurrent("a session", () => {
  it("that is used is renewed after the answer, at most once per quarter of its time, and gets a new pass with the next one", async () => {
    const visitor = await admitted("renewed");
    const session = sessionOf(visitor, "renewed");
    const passes = new Set<string>();
    let requests = 0;
    const startedAt = performance.now();
    const tookMs = () => performance.now() - startedAt;
    while (tookMs() < 1.15 * SHORTEST_MS) {
      expect((await visitor.get("/renewed/x", JSON_PLEASE)).json["url"]).toBe("/renewed/x");
      requests++;
      passes.add(passOf(visitor, "renewed"));
      await sleep(100);
    }
    expect(passes.size).toBeGreaterThanOrEqual(3);
    // The first, and one for each quarter that has passed since the full second in which it was signed.
    expect(passes.size).toBeLessThanOrEqual(1 + Math.floor((tookMs() + 1_000) / (SHORTEST_MS / 4)));
    for (const pass of passes) expect(decodeJwt(pass).sub).toBe(session);
    const views = Number(await redis.hget(`queue:{renewed}:session:${session}`, "page_views"));
    expect(views).toBeGreaterThan(requests / 2);
    expect(views).toBeLessThanOrEqual(requests + 1);
  });

  it("ends with its time where renewal is off, pass and slot alike, and its holder joins again", async () => {
    const visitor = await admitted("fixed");
    const session = sessionOf(visitor, "fixed");
    const slotEndsAt = await slotEndMs("fixed", session);
    const cookie = `sluice-pass-fixed=${passOf(visitor, "fixed")}`;
    let asked = 0;
    const sessionServed = async () => {
      const path = `/fixed/asked-${asked++}`;
      await createVisitor(url).get(path, { cookie });
      const request = origin.requests.find((seen) => seen.url === path);
      return decodeJwt(request?.headers.get("x-sluice-pass")?.[0] ?? "").sub;
    };
    while (Date.now() < slotEndsAt - 1_500) {
      expect(await sessionServed()).toBe(session);
      await sleep(500);
    }
    await sleep(slotEndsAt - Date.now() + 20);
    const anew = await sessionServed();
    expect([typeof anew, anew === session]).toEqual(["string", false]);
  });

  it("gets its full time again when the origin says extend, and the visitor a new pass with the next answer", async () => {
    const visitor = await admitted("extended");
    const pass = passOf(visitor, "extended");
    const session = sessionOf(visitor, "extended");
    const before = await slotEndMs("extended", session);
    origin.answerWith((request, response) => {
      const command = /[?&]command=(\w+)/.exec(request.url ?? "")?.[1];
      if (command !== undefined) response.setHeader("x-sluice-command", command);
      origin.echo(request, response);
    });
    // More than an eighth of its time has to be won before a new pass is worth it.
    await sleep(SHORTEST_MS / 8 + 500);
    await visitor.get("/extended/long?command=extend");
    await until(async () => (await slotEndMs("extended", session)) > before + SHORTEST_MS / 8);
    expect(passOf(visitor, "extended")).toBe(pass);
    // Redis knows of the extension a moment before the edge has its reply.
    await until(async () => {
      await visitor.get("/extended/next");
      return passOf(visitor, "extended") !== pass;
    });
    expect(sessionOf(visitor, "extended")).toBe(session);
    const seen = await createVisitor(url).get("/extended/other?command=explode");
    expect([seen.status, seen.headers.has("x-sluice-command")]).toEqual([200, false]);
  });

  it("takes an open WebSocket with it when it runs out (4002)", async () => {
    const { visitor, client } = await openSocket("socket");
    const endsAt = await slotEndMs("socket", sessionOf(visitor, "socket"));
    const [code] = (await once(client, "close")) as [number];
    expect(code).toBe(4002);
    expect(Date.now()).toBeGreaterThan(endsAt - 2_500);
    // Seen within 2 s, and what a busy machine takes to say so.
    expect(Date.now()).toBeLessThan(endsAt + 3_000);
  });

  it("gives its slot back after idleSeconds without a request: three closed windows do not block a room of three", async () => {
    for (let visitor = 0; visitor < 3; visitor++) await admitted("vanished");
    const startedAt = performance.now();
    const next = createVisitor(url);
    expect((await next.get("/vanished/", JSON_PLEASE)).json["state"]).toBe("waiting");
    await until(async () => (await next.get("/vanished/", JSON_PLEASE)).json["url"] === "/vanished/", { everyMs: 500 });
    expect(performance.now() - startedAt).toBeLessThan(SHORTEST_MS + 2_000);
  });

  it("that is used stays for as long as requests come within idleSeconds", async () => {
    const visitor = await admitted("idle");
    const session = sessionOf(visitor, "idle");
    const startedAt = performance.now();
    while (performance.now() - startedAt < 1.15 * SHORTEST_MS) {
      await sleep(2_000);
      const seen = await visitor.get("/idle/x", JSON_PLEASE);
      expect([seen.json["url"], sessionOf(visitor, "idle")]).toEqual(["/idle/x", session]);
      const pass = decodeJwt(passOf(visitor, "idle"));
      expect(Number(pass.exp) * 1_000).toBeLessThanOrEqual((await slotEndMs("idle", session)) - 5_000);
      expect(await slotEndMs("idle", session)).toBeLessThanOrEqual(Date.now() + SHORTEST_MS);
    }
  });

  it("ends idleSeconds after its last request, and its visitor joins again", async () => {
    const visitor = await admitted("idle");
    const session = sessionOf(visitor, "idle");
    await until(async () => (await slotEndMs("idle", session)) < Date.now());
    await visitor.get("/idle/again", JSON_PLEASE);
    expect(sessionOf(visitor, "idle")).not.toBe(session);
  });

  it("stays while its visitor uses an open WebSocket", async () => {
    const { client } = await openSocket("idle-socket");
    const startedAt = performance.now();
    while (performance.now() - startedAt < 1.15 * SHORTEST_MS) {
      client.send("still here");
      await sleep(1_000);
      expect(client.readyState).toBe(WebSocket.OPEN);
    }
    client.close();
  });

  it("ends when only its WebSocket is left and nothing comes over it for idleSeconds", async () => {
    const { client } = await openSocket("idle-socket");
    client.send("once");
    const sentAt = performance.now();
    const [code] = (await once(client, "close")) as [number];
    expect(code).toBe(4002);
    expect(performance.now() - sentAt).toBeLessThan(SHORTEST_MS + 2_000);
  });

  it("ends soon after its page was closed, as a beacon says, unless its pass comes back before that", async () => {
    const [gone, back] = [await admitted("closing"), await admitted("closing")];
    const beacon = { "content-type": "text/plain;charset=UTF-8" };
    const startedAt = performance.now();
    for (const visitor of [gone, back]) {
      const closed = await visitor.send("POST", "/_sluice/queues/closing/leave?closing=1", beacon, "bye");
      expect([closed.status, visitor.cookies.has("sluice-leaving-closing")]).toEqual([204, true]);
    }
    const next = await back.get("/closing/next", JSON_PLEASE);
    expect([next.json["url"], back.cookies.has("sluice-leaving-closing")]).toEqual(["/closing/next", false]);
    const isInside = async (visitor: Visitor) =>
      (await slotEndMs("closing", sessionOf(visitor, "closing"))) > Date.now();
    await until(async () => !(await isInside(gone)));
    expect(performance.now() - startedAt).toBeGreaterThan(9_000);
    await sleep(500);
    expect(await isInside(back)).toBe(true);
    expect((await back.get("/closing/later", JSON_PLEASE)).json["url"]).toBe("/closing/later");
  });
});
