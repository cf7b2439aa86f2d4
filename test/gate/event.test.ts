import { decodeJwt } from "jose";
import { beforeEach, describe, expect, it } from "vitest";
import { commitmentOf, drawWith, placeOf } from "../../shared/draw.ts";
import { startGateStack } from "./gate-stack.ts";
import { createVisitor, JSON_PLEASE, type Seen, until, type Visitor } from "./visitor.ts";

/** One edge's clock runs an hour ahead: it must open nothing early. */
const HOUR_MS = 3_600_000;
const stack = await startGateStack();
const { origin, url } = stack;
const ahead = await stack.startEdge({ clockOffMs: HOUR_MS });

beforeEach(() => origin.reset());

const storeMs = async () => {
  const [seconds = 0, micros = 0] = (await stack.redis.time()).map(Number);
  return seconds * 1000 + Math.floor(micros / 1000);
};

const poll = (visitor: Visitor, queueId: string) => visitor.send("POST", `/_sluice/queues/${queueId}/heartbeat`);
const drawOf = (queueId: string, at = url) => createVisitor(at).get(`/_sluice/queues/${queueId}/draw`);
const orderOf = ({ json }: Seen) => Number(decodeJwt(String(json["ticket"]))["order"]);
const untilStoreTime = (atMs: number) => until(async () => (await storeMs()) >= atMs, { withinMs: 30_000 });

describe("an event", () => {
  it("gives no place before its time, at any edge, and says when to come", async () => {
    const nowMs = await storeMs();
    const event = { prequeueOpensAt: nowMs + 600_000, opensAt: nowMs + 900_000 };
    await stack.setQueue("early", { ...event, onStoreFailure: "open" });
    for (const at of [url, ahead.url]) {
      const seen = await createVisitor(at).get("/early/", JSON_PLEASE);
      expect([seen.status, seen.json]).toEqual([
        200,
        {
          state: "prequeue",
          queueId: "early",
          phase: "scheduled",
          placesOpenAt: event.prequeueOpensAt,
          opensAt: event.opensAt,
          pollAfterMs: expect.any(Number),
        },
      ]);
      expect(Number(seen.json["pollAfterMs"])).toBeLessThanOrEqual(60_000);
      const page = await createVisitor(at).get("/early/", { accept: "text/html" });
      expect([page.status, page.setCookies]).toEqual([200, []]);
      expect(page.text).toContain('data-state="prequeue"');
      expect((await createVisitor(at).send("POST", "/early/order", { accept: "application/json" })).status).toBe(503);
      expect((await createVisitor(at).send("POST", "/_sluice/queues/early/enter")).json["state"]).toBe("prequeue");
    }
    expect(origin.requests).toEqual([]);
    expect(await stack.redis.exists("queue:{early}:waiting", "queue:{early}:active")).toBe(0);
    const known = await createVisitor(url).get("/_sluice/queues/early");
    expect(known.json).toMatchObject({ phase: "scheduled", order: "fifo", ...event, closesAt: null });
  });

  it("spreads those who wait for it over time", async () => {
    const nowMs = await storeMs();
    await stack.setQueue("spread", { opensAt: nowMs + 20_000 });
    const moments = new Set<number>();
    for (let visit = 0; visit < 8; visit++) {
      const { json } = await createVisitor(url).get("/spread/", JSON_PLEASE);
      const comesMs = (await storeMs()) + Number(json["pollAfterMs"]);
      expect(comesMs).toBeGreaterThanOrEqual(nowMs + 19_500);
      moments.add(Math.floor(comesMs / 100));
    }
    expect(moments.size).toBeGreaterThan(3);
  });

  it("is closed to newcomers at its end, and admitted visitors stay", async () => {
    const nowMs = await storeMs();
    await stack.setQueue("over", { opensAt: nowMs - 10_000 });
    const inside = createVisitor(url);
    expect((await inside.get("/over/")).status).toBe(200);
    await stack.setQueue("over", { opensAt: nowMs - 10_000, closesAt: nowMs - 5_000, onStoreFailure: "open" });
    for (const at of [url, ahead.url]) {
      const late = await createVisitor(at).get("/over/", JSON_PLEASE);
      expect([late.status, late.json["code"]]).toEqual([503, "event_over"]);
    }
    expect((await createVisitor(url).get("/over/", { accept: "text/html" })).text).toContain('data-state="ended"');
    expect((await inside.get("/over/in")).json).toMatchObject({ url: "/over/in" });
  });
});

describe("a lottery", () => {
  const QUEUE = "lottery";
  const VISITORS = 6;

  it("keeps every place secret until the opening, then every visitor has the drawn place, publicly verifiable", async () => {
    const prequeueOpensAt = (await storeMs()) - 1_000;
    let opensAt = prequeueOpensAt + 600_000;
    const limits = { maxActive: 1, admissionBurst: 1, claimSeconds: 4 };
    const settings = () => ({ order: "lottery", prequeueOpensAt, opensAt, ...limits }) as const;
    // The line does not move until every visitor has a place, however slow this machine is.
    await stack.setQueue(QUEUE, { ...settings(), mode: "paused" });

    const before = await drawOf(QUEUE, ahead.url);
    expect(before.json).toMatchObject({ queueId: QUEUE, seed: null, isDrawn: false, opensAt, past: [] });
    const { draws } = (await stack.registry.readQueue(QUEUE)) ?? { draws: [] };
    const seed = String(draws[0]?.seed);
    expect(before.json["commitment"]).toBe(await commitmentOf(seed));

    // Half of them at the edge whose clock is off.
    const visitors = Array.from({ length: VISITORS }, (_, index) => createVisitor(index % 2 === 0 ? url : ahead.url));
    const joins = [];
    for (const visitor of visitors) joins.push(await visitor.get(`/${QUEUE}/`, JSON_PLEASE));
    for (const { json, text } of joins) {
      expect(json).toMatchObject({ state: "waiting", phase: "prequeue", opensAt, position: null, order: "lottery" });
      expect(decodeJwt(String(json["ticket"])).sub).toBe(json["ticketId"]);
      expect(text).not.toContain(seed);
    }
    expect(new Set(joins.map(orderOf)).size).toBe(1);
    expect(placeOf(orderOf(joins[0] as Seen))).toMatchObject({ number: 0 });
    const page = await (visitors[0] as Visitor).get(`/${QUEUE}/`, { accept: "text/html" });
    expect(page.text).toContain('data-state="prequeue"');
    expect(page.text).not.toContain(seed);
    const leftAndBack = visitors[1] as Visitor;
    await leftAndBack.send("POST", `/_sluice/queues/${QUEUE}/leave`);
    joins[1] = await leftAndBack.get(`/${QUEUE}/`, JSON_PLEASE);
    expect(joins[1].json["position"]).toBeNull();
    expect(await stack.redis.zcard(`queue:{${QUEUE}}:active`)).toBe(0);
    expect(origin.requests).toEqual([]);

    // All visitors are there: the operator brings the opening forward.
    opensAt = (await storeMs()) + 1_000;
    await stack.setQueue(QUEUE, { ...settings(), mode: "paused" });
    expect((await drawOf(QUEUE)).json).toMatchObject({ commitment: before.json["commitment"], past: [] });
    await untilStoreTime(opensAt);
    await until(async () => (await drawOf(QUEUE)).json["seed"] === seed);
    expect((await drawOf(QUEUE, ahead.url)).json["commitment"]).toBe(before.json["commitment"]);

    const draw = drawWith(seed);
    const expected = await Promise.all(
      joins.map(async ({ json }) => ({ id: String(json["ticketId"]), number: await draw(String(json["ticketId"])) })),
    );
    const line = expected.toSorted((one, other) => one.number - other.number).map(({ id }) => id);
    for (const [index, visitor] of visitors.entries()) {
      const { id = "", number = 0 } = expected[index] ?? {};
      let seen = await poll(visitor, QUEUE);
      await until(
        async () => {
          if (seen.json["phase"] === "prequeue") seen = await poll(visitor, QUEUE);
          return seen.json["phase"] === "line";
        },
        { everyMs: 250 },
      );
      expect(placeOf(orderOf(seen))).toMatchObject({ lane: 0, number });
      expect(await stack.redis.zrank(`queue:{${QUEUE}}:waiting`, id)).toBe(line.indexOf(id));
    }
    expect(await stack.redis.zrange(`queue:{${QUEUE}}:waiting`, "0", "-1")).toEqual(line);

    await stack.setQueue(QUEUE, settings());
    const left = new Set(visitors);
    await until(
      async () => {
        for (const visitor of left) {
          if ((await poll(visitor, QUEUE)).json["state"] !== "admitted") continue;
          left.delete(visitor);
          await visitor.send("POST", `/_sluice/queues/${QUEUE}/leave`);
        }
        return left.size === 0;
      },
      { withinMs: 50_000 },
    );
  });

  it("does not help late arrivals: they stand behind, in order of arrival", async () => {
    const latecomer = await createVisitor(url).get(`/${QUEUE}/`, JSON_PLEASE);
    if (latecomer.json["state"] === "waiting") expect(placeOf(orderOf(latecomer))).toBeUndefined();
    const { draws } = (await stack.registry.readQueue(QUEUE)) ?? { draws: [] };
    const nowMs = await storeMs();
    await stack.setQueue(QUEUE, {
      order: "lottery",
      prequeueOpensAt: nowMs - 1_000,
      opensAt: nowMs + 600_000,
      maxActive: 1,
    });
    // An opening that lies ahead is of another draw: the seed of the first is public.
    const next = await drawOf(QUEUE);
    expect(next.json).toMatchObject({ seed: null, past: [{ seed: draws[0]?.seed, isDrawn: true }] });
    expect(next.json["commitment"]).not.toBe(await commitmentOf(String(draws[0]?.seed)));
  });

  it("that an edge does not know yet is drawn correctly, and every edge knows a drawn ticket", async () => {
    await stack.setQueue("sudden");
    const record = await stack.registry.readQueue("sudden");
    if (record === undefined) throw new Error("the queue was just made");
    const nowMs = await storeMs();
    const event = { order: "lottery", prequeueOpensAt: nowMs - 1_000, opensAt: nowMs + 600_000 } as const;
    await createVisitor(ahead.url).get("/_sluice/queues/sudden");
    await stack.registry.writeQueue("sudden", { ...record.settings, ...event }, record.version);
    const visitor = createVisitor(url);
    const joined = await visitor.get("/sudden/", JSON_PLEASE);
    expect(joined.json).toMatchObject({ state: "waiting", phase: "prequeue", position: null });
    // Passed over, and back at an edge that may not know the draw: at the place that was drawn.
    const ticketId = String(joined.json["ticketId"]);
    const place = await stack.redis.zscore("queue:{sudden}:waiting", ticketId);
    await stack.redis.del("queue:{sudden}:waiting", "queue:{sudden}:beats");
    const elsewhere = createVisitor(ahead.url);
    for (const [name, value] of visitor.cookies) elsewhere.cookies.set(name, value);
    expect((await poll(elsewhere, "sudden")).json).toMatchObject({ state: "waiting", position: null });
    expect(await stack.redis.zscore("queue:{sudden}:waiting", ticketId)).toBe(place);
  });

  it("is not published when the order is random, and does not exist for a line that is not drawn", async () => {
    const nowMs = await storeMs();
    await stack.setQueue("quiet", { order: "random", prequeueOpensAt: nowMs - 1_000, opensAt: nowMs + 600_000 });
    expect((await createVisitor(url).get("/quiet/", JSON_PLEASE)).json).toMatchObject({
      state: "waiting",
      position: null,
    });
    expect([(await drawOf("quiet")).status, (await drawOf("quiet")).json["code"]]).toEqual([404, "draw_not_found"]);
    await stack.setQueue("plain");
    expect((await drawOf("plain")).json["code"]).toBe("draw_not_found");
  });
});
