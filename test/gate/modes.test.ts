import { beforeEach, describe, expect, it } from "vitest";
import { startGateStack } from "./gate-stack.ts";
import { createVisitor, JSON_PLEASE, until } from "./visitor.ts";

const stack = await startGateStack();
const { origin, url } = stack;

beforeEach(() => origin.reset());

describe("a queue's mode", () => {
  it("active -> paused: admitted visitors stay, all others wait although there is room", async () => {
    await stack.setQueue("pause");
    const inside = createVisitor(url);
    await inside.get("/pause/");
    await stack.setQueue("pause", { mode: "paused" });
    expect((await inside.get("/pause/in")).json).toMatchObject({ url: "/pause/in" });
    expect((await createVisitor(url).get("/pause/", JSON_PLEASE)).json).toMatchObject({
      state: "waiting",
      position: 1,
    });
  });

  it("drain: waiting visitors enter, newcomers are refused", async () => {
    await stack.setQueue("drain", { maxActive: 1 });
    const [inside, waiting] = [createVisitor(url), createVisitor(url)];
    await inside.get("/drain/");
    await waiting.get("/drain/");
    await stack.setQueue("drain", { maxActive: 1, mode: "drain" });
    const newcomer = await createVisitor(url).get("/drain/", JSON_PLEASE);
    expect([newcomer.status, newcomer.json["code"]]).toEqual([503, "queue_closed"]);
    expect(newcomer.headers.get("retry-after")).toBe("60");
    expect((await createVisitor(url).send("POST", "/_sluice/queues/drain/enter")).json["code"]).toBe("queue_closed");
    await inside.send("POST", "/_sluice/queues/drain/leave");
    await until(async () => (await waiting.get("/drain/in")).json["url"] === "/drain/in", { everyMs: 250 });
  });

  it("maintenance: a page with Retry-After for every visitor without a pass, and all places stay", async () => {
    await stack.setQueue("works");
    const inside = createVisitor(url);
    await inside.get("/works/");
    await stack.setQueue("works", { mode: "maintenance" });
    expect((await inside.get("/works/in")).json).toMatchObject({ url: "/works/in" });
    const page = await createVisitor(url).get("/works/", { accept: "text/html" });
    expect([page.status, page.headers.get("retry-after")]).toEqual([503, "60"]);
    expect(page.text).toContain("<h1>");
    expect((await createVisitor(url).get("/works/", JSON_PLEASE)).json["code"]).toBe("queue_maintenance");
    expect(await stack.redis.zcard("queue:{works}:waiting")).toBe(0);
  });

  it("open: every visitor is forwarded with the edge's own pass, which no client ever sees", async () => {
    await stack.setQueue("open", { mode: "open", maxActive: 1 });
    for (let visit = 0; visit < 3; visit++) {
      const seen = await createVisitor(url).get("/open/x");
      expect([seen.status, seen.setCookies]).toEqual([200, []]);
    }
    const passes = origin.requests.map(({ headers }) => headers.get("x-sluice-pass")?.[0]);
    expect(new Set(passes).size).toBe(1);
    expect(passes[0]).toMatch(/^eyJ/);
    expect(await stack.redis.zcard("queue:{open}:active")).toBe(0);
    // Shown by a client, such a pass is no pass.
    await stack.setQueue("open", { mode: "maintenance" });
    expect((await createVisitor(url).get("/open/x", { cookie: `sluice-pass-open=${passes[0]}` })).status).toBe(503);
  });

  it("open: a program that enters is admitted without a slot", async () => {
    await stack.setQueue("open-api", { mode: "open", maxActive: 1 });
    for (let visit = 0; visit < 2; visit++) {
      const entered = await createVisitor(url).send("POST", "/_sluice/queues/open-api/enter");
      expect([entered.status, entered.json["state"]]).toEqual([200, "admitted"]);
      const seen = await createVisitor(url).get("/open-api/x", {
        authorization: `Bearer ${String(entered.json["pass"])}`,
      });
      expect(seen.status).toBe(200);
    }
  });
});

describe("open -> active", () => {
  const bearer = (pass: unknown) => ({ ...JSON_PLEASE, authorization: `Bearer ${String(pass)}` });

  /** Four visitors who were given passes while the queue was open to all; then it lets two in. */
  async function closedAgain(queueId: string) {
    await stack.setQueue(queueId, { mode: "open", maxActive: 2 });
    const visitors = Array.from({ length: 4 }, () => createVisitor(url));
    const passes: unknown[] = [];
    for (const visitor of visitors) {
      const entered = await visitor.send("POST", `/_sluice/queues/${queueId}/enter`);
      expect(entered.json["state"]).toBe("admitted");
      expect((await visitor.get(`/${queueId}/in`)).json["url"]).toBe(`/${queueId}/in`);
      expect((await visitor.send("POST", `/_sluice/queues/${queueId}/heartbeat`)).json["state"]).toBe("admitted");
      passes.push(entered.json["pass"]);
    }
    await stack.setQueue(queueId, { mode: "active", maxActive: 2 });
    origin.reset();
    return { visitors, passes };
  }

  it("passes without a slot count no longer: their holders join the line, and the cap holds", async () => {
    const { visitors, passes } = await closedAgain("reopened");
    const seen = await Promise.all(visitors.map((visitor) => visitor.get("/reopened/in", JSON_PLEASE)));
    expect(seen.map(({ json }) => json["url"] ?? json["state"]).toSorted()).toEqual([
      "/reopened/in",
      "/reopened/in",
      "waiting",
      "waiting",
    ]);
    expect(origin.requests).toHaveLength(2);
    expect(await stack.redis.zcard("queue:{reopened}:active")).toBe(2);
    const again = await Promise.all(passes.map((pass) => createVisitor(url).get("/reopened/again", bearer(pass))));
    expect(again.map(({ json }) => json["state"])).toEqual(["waiting", "waiting", "waiting", "waiting"]);
    expect(origin.requests).toHaveLength(2);
  });

  it("tells the holder of such a pass that the session has expired; leaving and joining work as usual", async () => {
    const { visitors } = await closedAgain("ended");
    const [asking, leaving, joining] = visitors;
    const polled = await asking?.send("POST", "/_sluice/queues/ended/heartbeat");
    expect(polled?.json).toMatchObject({ state: "ended", reason: "expired" });
    expect(asking?.cookies.size).toBe(0);
    expect((await leaving?.send("POST", "/_sluice/queues/ended/leave"))?.status).toBe(204);
    expect(leaving?.cookies.size).toBe(0);
    expect(await stack.redis.zcard("queue:{ended}:revoked")).toBe(0);
    expect((await joining?.send("POST", "/_sluice/queues/ended/enter"))?.json["state"]).toBe("admitted");
    expect(await stack.redis.zcard("queue:{ended}:active")).toBe(1);
  });

  it("replaces such a pass by the edge's own for the application", async () => {
    await stack.setQueue("inside", { mode: "open" });
    const entered = await createVisitor(url).send("POST", "/_sluice/queues/inside/enter");
    await createVisitor(url).get("/inside/x", bearer(entered.json["pass"]));
    const [request] = origin.requests;
    expect(request?.headers.get("x-sluice-pass")?.[0]).not.toBe(entered.json["pass"]);
    expect(request?.headers.has("authorization")).toBe(false);
  });
});

describe("the edges of a line", () => {
  it("a full line says so, and a place per address is counted by the store", async () => {
    await stack.setQueue("full", { maxActive: 1, maxQueueSize: 1 });
    const visitors = [createVisitor(url), createVisitor(url), createVisitor(url)];
    const codes: unknown[] = [];
    for (const visitor of visitors) codes.push((await visitor.get("/full/", JSON_PLEASE)).json["code"]);
    expect(codes).toEqual([undefined, undefined, "queue_full"]);
    await stack.setQueue("per-address", { ticketsPerIp: 1 });
    const [first, second] = [
      await createVisitor(url).get("/per-address/"),
      await createVisitor(url).get("/per-address/", JSON_PLEASE),
    ];
    expect([first.status, second.status, second.json["code"]]).toEqual([200, 429, "address_limit"]);
    const keys = await stack.redis.keys("queue:{per-address}:ip:*");
    expect(keys).toHaveLength(1);
    expect(keys[0]).toMatch(/:ip:[0-9a-f]{22}$/);
  });

  it("a route to a queue that does not exist refuses, and what has no route is forwarded without a pass", async () => {
    await stack.setQueue("there");
    await stack.setRoutes([{ host: "*", path: "/nowhere/*", queueId: "nowhere" }]);
    const refused = await createVisitor(url).get("/nowhere/x", JSON_PLEASE);
    expect([refused.status, refused.json["code"]]).toEqual([503, "queue_unavailable"]);
    expect((await createVisitor(url).get("/elsewhere")).status).toBe(200);
    expect(origin.requests.map(({ url: target, headers }) => [target, headers.has("x-sluice-pass")])).toEqual([
      ["/elsewhere", false],
    ]);
  });

  it("a queue's public state is how full it is, and no more", async () => {
    await stack.setQueue("public", { maxActive: 1 });
    await createVisitor(url).get("/public/");
    await createVisitor(url).get("/public/");
    const look = () => createVisitor(url).get("/_sluice/queues/public");
    await until(async () => (await look()).json["waiting"] === 1);
    const seen = await look();
    expect(seen.headers.get("cache-control")).toBe("public, max-age=1");
    expect(seen.json).toMatchObject({ queueId: "public", mode: "active", waiting: 1, active: 1 });
    const schedule = ["closesAt", "opensAt", "order", "phase", "prequeueOpensAt"];
    expect(Object.keys(seen.json).toSorted()).toEqual(
      [
        "active",
        "estimatedWaitSeconds",
        "isStalled",
        "maxActive",
        "mode",
        "name",
        "queueId",
        "waiting",
        ...schedule,
      ].toSorted(),
    );
    for (const id of ["absent", "A", "%7Bx%7D", "x".repeat(1_000)])
      expect((await createVisitor(url).get(`/_sluice/queues/${id}`)).json["code"]).toBe("queue_not_found");
  });

  it("refuses a body that it does not understand, naming the field", async () => {
    await stack.setQueue("bodies");
    const send = (body: string) =>
      createVisitor(url).send("POST", "/_sluice/queues/bodies/enter", { "content-type": "application/json" }, body);
    expect((await send('{"lane":3}')).json).toMatchObject({ code: "validation_failed", errors: [{ field: "lane" }] });
    expect((await send('{"invite":1}')).json).toMatchObject({
      code: "validation_failed",
      errors: [{ field: "invite" }],
    });
    expect((await send("{")).json["code"]).toBe("json_malformed");
    expect((await send(`{"metadata":{"a":"${"x".repeat(5_000)}"}}`)).json["code"]).toBe("body_too_large");
    expect((await send('{"metadata":{"source":"mail"}}')).json["state"]).toBe("admitted");
  });
});

describe("too many polls", () => {
  it("are answered from memory when early, and then with 429 and RateLimit headers, without losing the place", async () => {
    await stack.setQueue("eager", { maxActive: 1 });
    await createVisitor(url).get("/eager/");
    // Near its turn a line asks back within milliseconds, and polls as told are not limited.
    await stack.setQueue("eager", { maxActive: 1, mode: "paused" });
    const eager = createVisitor(url);
    const first = await eager.get("/eager/", JSON_PLEASE);
    const statuses = new Map<number, number>();
    let last = first;
    for (let poll = 0; poll < 400 && last.status !== 429; poll++) {
      last = await eager.send("POST", "/_sluice/queues/eager/heartbeat");
      statuses.set(last.status, (statuses.get(last.status) ?? 0) + 1);
    }
    expect([...statuses.keys()].toSorted()).toEqual([200, 429]);
    expect(last.json["code"]).toBe("rate_limited");
    expect(last.headers.get("ratelimit")).toMatch(/^"polls";r=0;t=\d+$/);
    expect(Number(last.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(await stack.redis.zcard("queue:{eager}:waiting")).toBe(1);
    // Another visitor behind the same address is not limited.
    expect((await createVisitor(url).get("/eager/", JSON_PLEASE)).json).toMatchObject({
      state: "waiting",
      position: 2,
    });
  });
});
