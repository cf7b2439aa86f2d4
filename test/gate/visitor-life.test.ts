import { beforeEach, describe, expect, it } from "vitest";
import { startGateStack } from "./gate-stack.ts";
import { createVisitor, JSON_PLEASE, until } from "./visitor.ts";

const stack = await startGateStack();
const { origin, url } = stack;

beforeEach(() => origin.reset());

describe("a visitor of a protected URL", () => {
  it("is forwarded at once when there is room, with a pass for the origin and the same pass as a cookie", async () => {
    await stack.setQueue("roomy");
    const visitor = createVisitor(url);
    const seen = await visitor.get("/roomy/page?x=1");
    expect(seen.status).toBe(200);
    expect(seen.json).toMatchObject({ url: "/roomy/page?x=1" });
    const pass = visitor.cookies.get("sluice-pass-roomy");
    expect(pass).toBeDefined();
    expect(origin.requests.at(-1)?.headers.get("x-sluice-pass")).toEqual([pass]);
    expect(seen.headers.get("cache-control")).toContain("private");
    // With the first request that shows it, the pass is replaced by one for the whole session.
    const claiming = await visitor.get("/roomy/again");
    expect([claiming.status, claiming.setCookies.length]).toEqual([200, 1]);
    expect(origin.requests.at(-1)?.headers.get("x-sluice-pass")).toEqual([pass]);
    const again = await visitor.get("/roomy/again");
    expect([again.status, again.setCookies]).toEqual([200, []]);
    expect(origin.requests.at(-1)?.headers.get("x-sluice-pass")).toEqual([visitor.cookies.get("sluice-pass-roomy")]);
  });

  it("waits on a page, sees the place in line, and enters when another visitor leaves", async () => {
    await stack.setQueue("narrow", { maxActive: 1, waitingStatus: 202 });
    const first = createVisitor(url);
    expect((await first.get("/narrow/")).status).toBe(200);
    const second = createVisitor(url);
    const page = await second.get("/narrow/", { accept: "text/html,*/*;q=0.8" });
    expect(page.status).toBe(202);
    expect(page.headers.get("content-type")).toContain("text/html");
    expect(page.text).toContain('http-equiv="refresh"');
    expect(page.text).toMatch(/id="position">1</);
    expect(second.cookies.has("sluice-ticket-narrow")).toBe(true);
    const json = await second.get("/narrow/", JSON_PLEASE);
    expect(json.json).toMatchObject({ state: "waiting", queueId: "narrow", position: 1, total: 1, lane: 0 });
    expect(json.json["ticket"]).toBe(second.cookies.get("sluice-ticket-narrow"));
    expect(Object.keys(json.json).toSorted()).toEqual(
      [
        "enqueuedAt",
        "estimatedWaitSeconds",
        "isStalled",
        "lane",
        "latestEntryAt",
        "mode",
        "opensAt",
        "order",
        "phase",
        "ticketId",
        "pollAfterMs",
        "position",
        "queueId",
        "state",
        "ticket",
        "total",
      ].toSorted(),
    );
    origin.reset();
    expect((await first.send("POST", "/_sluice/queues/narrow/leave")).status).toBe(204);
    expect(first.cookies.size).toBe(0);
    await until(async () => (await second.get("/narrow/in")).json["url"] === "/narrow/in");
    expect(origin.requests).toHaveLength(1);
    expect(second.cookies.has("sluice-ticket-narrow")).toBe(false);
    expect(second.cookies.has("sluice-pass-narrow")).toBe(true);
  });

  it("never has an action taken for done: what is not GET waits with an error status and reaches the origin once, when admitted", async () => {
    await stack.setQueue("orders", { maxActive: 1 });
    const first = createVisitor(url);
    await first.get("/orders/");
    const second = createVisitor(url);
    const refused = await second.send("POST", "/orders/buy", { accept: "text/html" }, "1 share");
    expect(refused.status).toBe(503);
    expect(refused.json).toMatchObject({ state: "waiting", position: 1 });
    expect(refused.headers.get("retry-after")).not.toBeNull();
    await first.send("POST", "/_sluice/queues/orders/leave");
    await until(async () => (await second.send("POST", "/orders/buy", {}, "1 share")).status === 200);
    const bought = origin.requests.filter(({ method }) => method === "POST");
    expect(bought.map(({ body }) => body.toString())).toEqual(["1 share"]);
    expect((await createVisitor(url).send("OPTIONS", "/orders/buy")).status).toBe(401);
  });
});

describe("a program with bearer tokens", () => {
  it("enters, polls, is admitted, and uses the pass without any cookie", async () => {
    await stack.setQueue("api", { maxActive: 1 });
    const holder = createVisitor(url);
    const held = await holder.send("POST", "/_sluice/queues/api/enter");
    expect([held.status, held.json["state"]]).toEqual([200, "admitted"]);
    expect(Number(held.json["expiresAt"])).toBeGreaterThan(Date.now());
    const entered = await createVisitor(url).send(
      "POST",
      "/_sluice/queues/api/enter",
      { "content-type": "application/json" },
      "{}",
    );
    expect([entered.status, entered.json["state"]]).toEqual([201, "waiting"]);
    const bearer = { authorization: `Bearer ${String(entered.json["ticket"])}` };
    const known = await createVisitor(url).send("POST", "/_sluice/queues/api/enter", bearer);
    expect([known.status, known.json["position"], known.json["enqueuedAt"]]).toEqual([
      200,
      1,
      entered.json["enqueuedAt"],
    ]);
    await createVisitor(url).send("POST", "/_sluice/queues/api/leave", {
      authorization: `Bearer ${String(held.json["pass"])}`,
    });
    let admitted: Readonly<Record<string, unknown>> = {};
    await until(async () => {
      admitted = (await createVisitor(url).send("POST", "/_sluice/queues/api/heartbeat", bearer)).json;
      return admitted["state"] === "admitted";
    });
    const repeated = await createVisitor(url).send("POST", "/_sluice/queues/api/heartbeat", bearer);
    expect(repeated.json).toMatchObject({ state: "admitted", sessionId: admitted["sessionId"] });
    const seen = await createVisitor(url).get("/api/x", { authorization: `Bearer ${String(admitted["pass"])}` });
    expect(seen.json).toMatchObject({ url: "/api/x" });
    expect(origin.requests.at(-1)?.headers.get("authorization")).toBeUndefined();
    await createVisitor(url).get("/api/x", {
      authorization: "Bearer of-the-application",
      cookie: `sluice-pass-api=${String(admitted["pass"])}`,
    });
    expect(origin.requests.at(-1)?.headers.get("authorization")).toEqual(["Bearer of-the-application"]);
  });

  it("may leave twice, and a ticket that was given up is told so", async () => {
    await stack.setQueue("quit", { maxActive: 1 });
    await createVisitor(url).get("/quit/");
    const { ticket } = (await createVisitor(url).send("POST", "/_sluice/queues/quit/enter")).json;
    const bearer = { authorization: `Bearer ${String(ticket)}` };
    for (const _time of [1, 2])
      expect((await createVisitor(url).send("POST", "/_sluice/queues/quit/leave", bearer)).status).toBe(204);
    expect((await createVisitor(url).send("POST", "/_sluice/queues/quit/heartbeat", bearer)).json).toEqual({
      state: "ended",
      queueId: "quit",
      reason: "left",
    });
    expect((await createVisitor(url).send("POST", "/_sluice/queues/quit/leave")).status).toBe(401);
  });
});
