// @module-tag timing: settings and revocations are in force 2 s after a slow store recovers.
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { decodeJwt } from "jose";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { openLine } from "../../edge/line/line.ts";
import { type QueueSettings, queueSettingsSchema } from "../../edge/line/settings.ts";
import { startFaultyWire, type WireFault } from "../../kit/faulty-wire.ts";
import { HURRIED } from "../../kit/unhurried.ts";
import { scriptRunner } from "../../origin/redis/script-runner.ts";
import type { EdgeServer } from "../../stack/servers/edge-server.ts";
import { startGateStack } from "./gate-stack.ts";
import { createVisitor, JSON_PLEASE, type Seen, until, type Visitor } from "./visitor.ts";

/**
 * A store that is slow, hangs or flaps: every request is answered by the gate itself, and a valid pass is always good.
 */
const TOKEN = "operator-token-of-this-test-alone-0123456789";
const stack = await startGateStack({ variables: { ...HURRIED, SLUICE_ADMIN_TOKEN: TOKEN } });
const wire = await startFaultyWire(stack.bridge.port);
afterAll(() => wire.stop());
afterEach(() => wire.replyWith("pass"));

await stack.setQueue("shop", { maxActive: 1_000 });
await stack.setQueue("strict", { revocationCheck: "strict" });
await stack.setQueue("full", { maxActive: 1 });

/** A second, and as much again for a machine that stands still. Operators may wait for two calls. */
const ANSWER_MS_MAX = 2_000;
/** Two seconds, and half a second for a busy machine. */
const IN_FORCE_MS_MAX = 2_500;
/** Past the time in which what is known counts as fresh. */
const STALE_MS = 2_100;

async function admitted(queueId: string, at = stack.url): Promise<Visitor> {
  const visitor = createVisitor(at);
  await visitor.get(`/${queueId}/`);
  expect(visitor.cookies.has(`sluice-pass-${queueId}`)).toBe(true);
  return visitor;
}

async function waiting(): Promise<Visitor> {
  const visitor = createVisitor(stack.url);
  await visitor.get("/full/", JSON_PLEASE);
  expect(visitor.cookies.has("sluice-ticket-full")).toBe(true);
  return visitor;
}

const cookieOf = ({ cookies }: Visitor) => [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");

type Call = {
  readonly name: string;
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Holds a pass, or needs no store: the answer is the same whatever the store does. */
  readonly always?: number;
  /** With a store that answers. */
  readonly status: number;
};

async function startEdge(): Promise<{ readonly edge: EdgeServer; readonly log: () => Promise<string> }> {
  const edge = await stack.startEdge({ storeAddress: wire.address });
  const logFile = stack.logFiles.at(-1) ?? "";
  return { edge, log: () => readFile(logFile, "utf8") };
}

await admitted("full");

/** One request of each kind that visitors and operators make, each with its own tokens. */
async function callsOfAll(): Promise<readonly Call[]> {
  const [shopper, checked, beating, entering, leaving, waiter] = [
    await admitted("shop"),
    await admitted("strict"),
    await admitted("shop"),
    await admitted("shop"),
    await admitted("shop"),
    await waiting(),
  ];
  const operator = { authorization: `Bearer ${TOKEN}` };
  const own = (queueId: string, verb: string) => ({ method: "POST", path: `/_sluice/queues/${queueId}/${verb}` });
  return [
    { name: "a pass", path: "/shop/in", headers: { cookie: cookieOf(shopper) }, always: 200, status: 200 },
    {
      name: "a pass checked each time",
      path: "/strict/in",
      headers: { cookie: cookieOf(checked) },
      always: 200,
      status: 200,
    },
    { name: "a newcomer", path: "/shop/new", headers: JSON_PLEASE, status: 200 },
    { name: "a newcomer's page", path: "/shop/new", headers: { accept: "text/html" }, status: 200 },
    { name: "a poll", ...own("full", "heartbeat"), headers: { cookie: cookieOf(waiter) }, status: 200 },
    { name: "a poll by page", path: "/full/", headers: { ...JSON_PLEASE, cookie: cookieOf(waiter) }, status: 200 },
    {
      name: "a poll with a pass",
      ...own("shop", "heartbeat"),
      headers: { cookie: cookieOf(beating) },
      always: 200,
      status: 200,
    },
    {
      name: "a join with a pass",
      ...own("shop", "enter"),
      headers: { cookie: cookieOf(entering) },
      always: 200,
      status: 200,
    },
    {
      name: "leaving with a pass",
      ...own("shop", "leave"),
      headers: { cookie: cookieOf(leaving) },
      always: 204,
      status: 204,
    },
    { name: "a join", ...own("shop", "enter"), status: 200 },
    { name: "the queue", path: "/_sluice/queues/shop", status: 200 },
    { name: "the draw", path: "/_sluice/queues/shop/draw", status: 404 },
    { name: "no such queue", path: "/_sluice/queues/nothing", status: 404 },
    { name: "the keys", path: "/_sluice/jwks.json", always: 200, status: 200 },
    { name: "the API document", path: "/_sluice/openapi.json", always: 200, status: 200 },
    { name: "the console", path: "/_sluice/console", always: 200, status: 200 },
    { name: "the queues", path: "/_sluice/admin/queues", headers: operator, status: 200 },
    { name: "the statistics", path: "/_sluice/admin/queues/shop/stats", headers: operator, status: 200 },
    { name: "the routes", path: "/_sluice/admin/routes", headers: operator, status: 200 },
    { name: "no route", path: "/free", status: 200 },
  ];
}

function ask({ url }: EdgeServer, { method = "GET", path, headers = {}, body }: Call): Promise<Seen> {
  return createVisitor(url).send(method, path, headers, body);
}

/** Asked by a client that is gone before anything can have been answered. */
function askAndGo({ url }: EdgeServer, { method = "GET", path, headers = {} }: Call): () => void {
  const gone = new AbortController();
  fetch(`${url}${path}`, { method, headers, signal: gone.signal, redirect: "manual" }).catch(() => {});
  return () => gone.abort();
}

/** workerd's error when a request touches an object of another request. */
const SHARED_IO = /different request|uncaught exception|code had hung|never generate a response/i;

type Interleaving = { readonly fault: WireFault; readonly passAfterMs?: number };

/**
 * All calls twice: the clients of the first ones go away while the store is silent; the second ones have to be
 * answered.
 */
async function interleave(
  edge: EdgeServer,
  calls: readonly Call[],
  { fault, passAfterMs }: Interleaving,
): Promise<readonly Seen[]> {
  wire.replyWith(fault);
  const first = await callsOfAll();
  const goings = first.map((call) => askAndGo(edge, call));
  await sleep(30);
  const answers = calls.map((call) => ask(edge, call));
  await sleep(30);
  for (const go of goings) go();
  if (passAfterMs !== undefined) {
    await sleep(passAfterMs);
    wire.replyWith("pass");
  }
  return Promise.all(answers);
}

function shownOf(calls: readonly Call[], seen: readonly Seen[]): readonly string[] {
  return calls.map(({ name }, index) => `${name}: ${seen[index]?.status} ${seen[index]?.json["code"] ?? ""}`.trim());
}

const slowOnes = (seen: readonly Seen[]) =>
  seen.filter(({ tookMs }) => tookMs >= ANSWER_MS_MAX).map(({ tookMs }) => tookMs);

/** With a store that says nothing: passes and what needs no store as ever, the rest refused in the gate's own words. */
function expectAnswered(calls: readonly Call[], seen: readonly Seen[]): void {
  const expected = calls.map(({ name, always }) =>
    always === undefined ? `${name}: 503 store_unavailable` : `${name}: ${always}`,
  );
  const isPage = (index: number) => calls[index]?.name === "a newcomer's page";
  expect
    .soft(shownOf(calls, seen))
    .toEqual(expected.map((text, index) => (isPage(index) ? "a newcomer's page: 503" : text)));
  expect(slowOnes(seen)).toEqual([]);
}

describe("requests that wait for a slow store while the clients of earlier ones disconnect", () => {
  it("are answered by an edge that has never read anything and gets no reply", async () => {
    const calls = await callsOfAll();
    const { edge, log } = await startEdge();
    expectAnswered(calls, await interleave(edge, calls, { fault: "hold" }));
    wire.replyWith("pass");
    await until(async () => (await createVisitor(edge.url).get("/shop/", JSON_PLEASE)).status === 200);
    expect(await log()).not.toMatch(SHARED_IO);
  });

  it("are answered by an edge that has never read anything as soon as the store replies", async () => {
    const calls = await callsOfAll();
    const { edge, log } = await startEdge();
    const seen = await interleave(edge, calls, { fault: "hold", passAfterMs: 20 });
    expect(seen.map(({ status }, index) => `${calls[index]?.name}: ${status}`)).toEqual(
      calls.map(({ name, status }) => `${name}: ${status}`),
    );
    expect(slowOnes(seen)).toEqual([]);
    expect(await log()).not.toMatch(SHARED_IO);
  });

  it("are answered by an edge whose values are stale", async () => {
    const { edge, log } = await startEdge();
    for (const call of await callsOfAll()) await ask(edge, call);
    const calls = await callsOfAll();
    await sleep(STALE_MS);
    const seen = await interleave(edge, calls, { fault: "hold" });
    const isPass = ({ always }: Call) => always !== undefined;
    expect
      .soft(shownOf(calls, seen).filter((_, index) => isPass(calls[index] as Call)))
      .toEqual(calls.filter(isPass).map(({ name, always }) => `${name}: ${always}`));
    expect(seen.filter(({ status }) => status === 500)).toEqual([]);
    expect(slowOnes(seen)).toEqual([]);
    wire.replyWith("pass");
    await until(async () => (await createVisitor(edge.url).get("/shop/", JSON_PLEASE)).status === 200);
    expect(await log()).not.toMatch(SHARED_IO);
  });
});

describe("a store that hangs", () => {
  it("delays at most the first requests with a pass, and none after them", async () => {
    const { edge } = await startEdge();
    const visitor = await admitted("shop");
    const get = () => createVisitor(edge.url).get("/shop/in", { cookie: cookieOf(visitor) });
    await get();
    await sleep(STALE_MS);
    wire.replyWith("hang");
    const endsAtMs = performance.now() + STALE_MS;
    const answers: Seen[] = [];
    while (performance.now() < endsAtMs) {
      answers.push(...(await Promise.all([get(), get(), get()])));
      await sleep(30);
    }
    expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
    const delayed = answers.map(({ tookMs }) => Math.round(tookMs)).filter((tookMs) => tookMs > 120);
    // One round, and another one for a busy machine; each waits for one of three stale values, and then knows that the
    // store is silent.
    expect(delayed.length).toBeLessThanOrEqual(6);
    expect(Math.max(...delayed)).toBeLessThan(450);
  });

  it("lets a visitor with a pass leave; the slot returns when the store answers again", async () => {
    await stack.setQueue("small", { maxActive: 1 });
    const { edge } = await startEdge();
    const visitor = createVisitor(edge.url);
    await visitor.get("/small/");
    const pass = cookieOf(visitor);
    wire.replyWith("refuse");
    const left = await visitor.send("POST", "/_sluice/queues/small/leave");
    expect([left.status, left.tookMs < ANSWER_MS_MAX, visitor.cookies.size]).toEqual([204, true, 0]);
    expect(
      (await createVisitor(edge.url).get("/small/", { ...JSON_PLEASE, cookie: pass })).json["url"],
    ).toBeUndefined();
    expect(await stack.redis.zcard("queue:{small}:active")).toBe(1);
    wire.replyWith("pass");
    const next = createVisitor(edge.url);
    await until(async () => (await next.get("/small/", JSON_PLEASE)).json["url"] === "/small/", { everyMs: 250 });
    expect(await stack.redis.zcard("queue:{small}:active")).toBe(1);
  });

  it("does not cost a visitor the place drawn in a lottery", async () => {
    const { edge } = await startEdge();
    await stack.setQueue("drawn");
    const nowMs = Date.now();
    const event = { order: "lottery", prequeueOpensAt: nowMs - 1_000, opensAt: nowMs + 600_000 } as const;
    const record = await stack.registry.readQueue("drawn");
    // Written without the edges, so that this one does not know the draw when the store begins to hang.
    const settings: QueueSettings = queueSettingsSchema.parse({ ...record?.settings, ...event });
    await createVisitor(edge.url).get("/_sluice/queues/drawn");
    wire.replyWith("hang");
    expect(await stack.registry.writeQueue("drawn", settings, record?.version ?? 0)).toBeTypeOf("number");
    const visitor = createVisitor(stack.url);
    await until(
      async () => {
        visitor.cookies.clear();
        return (await visitor.get("/drawn/", JSON_PLEASE)).json["phase"] === "prequeue";
      },
      { everyMs: 200 },
    );
    const ticket = cookieOf(visitor);
    const poll = () =>
      createVisitor(edge.url).send("POST", "/_sluice/queues/drawn/heartbeat", {
        cookie: ticket,
        "content-type": "application/json",
      });
    const seen = await poll();
    expect([seen.status, seen.json["code"], seen.setCookies]).toEqual([503, "store_unavailable", []]);
    wire.replyWith("pass");
    await until(async () => (await poll()).json["state"] === "waiting", { everyMs: 200 });
  });

  it("recovers revocations and settings: both are in force within 2 s after it answers again", async () => {
    await stack.setQueue("late");
    const { edge } = await startEdge();
    const visitors = [await admitted("late"), await admitted("late")] as const;
    const get = (visitor: Visitor) =>
      createVisitor(edge.url).get("/late/in", { ...JSON_PLEASE, cookie: cookieOf(visitor) });
    await get(visitors[0]);
    wire.replyWith("hang");
    const endsAtMs = performance.now() + STALE_MS;
    while (performance.now() < endsAtMs) expect((await get(visitors[0])).status).toBe(200);
    const record = await stack.registry.readQueue("late");
    const settings = queueSettingsSchema.parse({ ...record?.settings, mode: "paused" });
    await stack.registry.writeQueue("late", settings, record?.version ?? 0);
    const sessionId = String(decodeJwt(visitors[0].cookies.get("sluice-pass-late") ?? "").sub);
    const line = openLine({
      store: scriptRunner(stack.redis),
      queueId: "late",
      ticketLifeMs: 60_000,
      random: () => 0.5,
    });
    await line.end({ sessionId, reason: "revoked" });
    wire.replyWith("pass");
    const isInForce = async () => {
      const newcomer = await createVisitor(edge.url).get("/late/in", JSON_PLEASE);
      return (await get(visitors[0])).json["url"] === undefined && newcomer.json["mode"] === "paused";
    };
    expect(await until(isInForce, { everyMs: 50 })).toBeLessThan(IN_FORCE_MS_MAX);
    expect((await get(visitors[1])).status).toBe(200);
  });

  it("keeps sockets open, and a revoked session's socket is closed when the store answers again", async () => {
    const { edge, log } = await startEdge();
    const visitors = [await admitted("shop"), await admitted("shop")] as const;
    const sockets = new WebSocketServer({ noServer: true });
    stack.origin.upgradeWith((request, socket, head) => sockets.handleUpgrade(request, socket, head, () => {}));
    const clients = visitors.map(
      (visitor) =>
        new WebSocket(`${edge.url.replace("http", "ws")}/shop/socket`, { headers: { cookie: cookieOf(visitor) } }),
    );
    await Promise.all(clients.map((client) => once(client, "open")));
    wire.replyWith("hold");
    await sleep(STALE_MS);
    expect(clients.map(({ readyState }) => readyState)).toEqual([WebSocket.OPEN, WebSocket.OPEN]);
    const [revoked, other] = clients as [WebSocket, WebSocket];
    const closed = once(revoked, "close");
    const line = openLine({
      store: scriptRunner(stack.redis),
      queueId: "shop",
      ticketLifeMs: 60_000,
      random: () => 0.5,
    });
    const sessionId = String(decodeJwt(visitors[0].cookies.get("sluice-pass-shop") ?? "").sub);
    await line.end({ sessionId, reason: "revoked" });
    wire.replyWith("pass");
    expect(((await closed) as [number, Buffer]).map(String)).toEqual(["4001", "revoked"]);
    expect(other.readyState).toBe(WebSocket.OPEN);
    other.terminate();
    expect(await log()).not.toMatch(SHARED_IO);
  });
});

describe("a store that flaps", () => {
  const [STOPPED_MS, RUNNING_MS, ROUNDS] = [650, 150, 5];

  it("fails no request with a pass, neither at an edge that knows the queue nor at one that starts meanwhile", async () => {
    const known = await stack.startEdge();
    const visitor = await admitted("shop", known.url);
    const checked = await admitted("strict", known.url);
    let isOver = false;
    const { pid } = stack.redisServer;
    const flapping = (async () => {
      for (let round = 0; round < ROUNDS; round++) {
        process.kill(pid, "SIGSTOP");
        await sleep(STOPPED_MS);
        process.kill(pid, "SIGCONT");
        await sleep(RUNNING_MS);
      }
      isOver = true;
    })();
    try {
      const fresh = await stack.startEdge();
      const answers: Seen[] = [];
      while (!isOver) {
        const calls = [known, fresh].flatMap(({ url }) => [
          createVisitor(url).get("/shop/in", { cookie: cookieOf(visitor) }),
          createVisitor(url).get("/strict/in", { cookie: cookieOf(checked) }),
          createVisitor(url).send("POST", "/_sluice/queues/shop/heartbeat", { cookie: cookieOf(visitor) }),
        ]);
        answers.push(...(await Promise.all(calls)));
        await createVisitor(known.url).get("/shop/new", JSON_PLEASE);
      }
      expect(answers.filter(({ status }) => status !== 200).map(({ status, text }) => `${status} ${text}`)).toEqual([]);
      expect(slowOnes(answers)).toEqual([]);
      expect(answers.length).toBeGreaterThan(30);
    } finally {
      await flapping;
    }
    for (const logFile of stack.logFiles) expect(await readFile(logFile, "utf8")).not.toMatch(SHARED_IO);
  });
});
