// @module-tag timing: the gate answers within a second while its store is unavailable.
import { readFile } from "node:fs/promises";
import { decodeJwt } from "jose";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type FaultyWire, startFaultyWire, type WireFault } from "../../kit/faulty-wire.ts";
import { startTestBridge } from "../../kit/test-bridge.ts";
import { HURRIED } from "../../kit/unhurried.ts";
import type { EdgeServer } from "../../stack/servers/edge-server.ts";
import { startGateStack } from "./gate-stack.ts";
import { createVisitor, JSON_PLEASE, type Seen, until, type Visitor } from "./visitor.ts";

const stack = await startGateStack({ variables: HURRIED });
const { origin } = stack;

/** Each edge and its wire to the store. Checks that take seconds run on several edges at once. */
const WIRES = 4;
const lanes = await Promise.all(Array.from({ length: WIRES }, startLane));
const [lane] = lanes as [Lane];
const { wire, url } = lane;
/** A second, and as much again for a machine that stands still. */
const ANSWER_MS_MAX = 2_000;

type Lane = { readonly wire: FaultyWire; readonly url: string; readonly edge: EdgeServer };

async function startLane(): Promise<Lane> {
  const faulty = await startFaultyWire(stack.bridge.port);
  const edge = await stack.startEdge({ storeAddress: faulty.address });
  return { wire: faulty, url: edge.url, edge };
}

afterAll(() => Promise.all(lanes.map((lane) => lane.wire.stop())));

/** Until the gate has seen that the store answers again. */
async function untilBack(gone: Lane): Promise<void> {
  gone.wire.replyWith("pass");
  await until(
    async () =>
      (await createVisitor(gone.url).send("POST", "/_sluice/queues/probe/enter")).json["state"] === "admitted",
    {
      withinMs: 10_000,
    },
  );
}

await stack.setQueue("probe", { maxActive: 10_000, admissionBurst: 1_000 });
await stack.setQueue("closed", { maxActive: 1_000 });
await stack.setQueue("opened", { onStoreFailure: "open" });
const HOUR_MS = 3_600_000;
const startedMs = Date.now();
const [beforeMs, afterMs] = [startedMs - HOUR_MS, startedMs + HOUR_MS];
await stack.setQueue("scheduled", { onStoreFailure: "open", opensAt: afterMs });
await stack.setQueue("prequeue", { onStoreFailure: "open", prequeueOpensAt: beforeMs, opensAt: afterMs });
await stack.setQueue("over", { onStoreFailure: "open", closesAt: beforeMs });
await stack.setQueue("working", { onStoreFailure: "open", proofOfWork: 8 });
await stack.setQueue("checked", { revocationCheck: "strict" });

const http = (head: string, body: string) => ({
  raw: `${head}\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`,
});

/** The bridge's own words when its Redis is gone. */
async function wordsOfOrphanedBridge(): Promise<string> {
  const orphaned = await startTestBridge({ redisUrls: ["redis://127.0.0.1:1"] });
  const { status, json } = await orphaned.post("/", ["EVALSHA", "0".repeat(40), 0]);
  await orphaned.stop();
  expect(status).toBe(503);
  return JSON.stringify(json);
}

const redisGone = http(
  "HTTP/1.1 503 Service Unavailable\r\ncontent-type: application/json",
  await wordsOfOrphanedBridge(),
);

const faults: readonly (readonly [string, WireFault])[] = [
  ["hangs", "hang"],
  ["answers 500", http("HTTP/1.1 500 Oops\r\ncontent-type: application/json", '{"error":"boom"}')],
  ["answers 500 in HTML", http("HTTP/1.1 500 Oops\r\ncontent-type: text/html", "<h1>Oops</h1>")],
  ["answers HTML with 200", http("HTTP/1.1 200 OK\r\ncontent-type: text/html", "<h1>Welcome to nginx</h1>")],
  ["answers half a JSON", http("HTTP/1.1 200 OK\r\ncontent-type: application/json", '{"result":["admitted",17')],
  [
    "breaks off in mid-reply",
    { raw: 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 500\r\n\r\n{"result":' },
  ],
  ["answers something else", http("HTTP/1.1 200 OK\r\ncontent-type: application/json", '{"result":["admitted"]}')],
  ["answers nothing", http("HTTP/1.1 200 OK\r\ncontent-type: application/json", "{}")],
];

async function admitted(queueId: string, at = url): Promise<Visitor> {
  const visitor = createVisitor(at);
  await visitor.get(`/${queueId}/`);
  expect(visitor.cookies.has(`sluice-pass-${queueId}`)).toBe(true);
  return visitor;
}

/** Past the two seconds in which what is known counts as fresh. */
const LOOKED_AT_MS = 2_500;

describe.concurrent("a store that", () => {
  const idle = [...lanes];
  const idleLane = async () => {
    const taken: Lane[] = [];
    await until(() => taken.push(...idle.splice(0, 1)) > 0, { withinMs: 60_000 });
    return taken[0] as Lane;
  };
  const pause = () => new Promise((resolve) => setTimeout(resolve, 50));

  it.each(faults)("%s admits no newcomers, answers within a second, and serves every pass", async (name, fault) => {
    const own = await idleLane();
    try {
      const [inside, strict] = [await admitted("closed", own.url), await admitted("checked", own.url)];
      const path = `/closed/${encodeURIComponent(name)}`;
      own.wire.replyWith(fault);
      const answers: Seen[] = [];
      const endsAt = performance.now() + LOOKED_AT_MS;
      while (performance.now() < endsAt) {
        const newcomer = await createVisitor(own.url).get(path, JSON_PLEASE);
        expect([newcomer.status, newcomer.json["code"]]).toEqual([503, "store_unavailable"]);
        expect(newcomer.headers.has("retry-after")).toBe(true);
        const served = await inside.get("/closed/in");
        const checked = await strict.get("/checked/in");
        expect([served.json["url"], checked.json["url"]]).toEqual(["/closed/in", "/checked/in"]);
        answers.push(newcomer, served, checked);
        await pause();
      }
      expect(Math.max(...answers.map(({ tookMs }) => tookMs))).toBeLessThan(ANSWER_MS_MAX);
      expect(origin.requests.filter(({ url: target }) => target === path)).toEqual([]);
      const page = await createVisitor(own.url).get(path, { accept: "text/html" });
      expect([page.status, page.text.includes("<h1>")]).toEqual([503, true]);
    } finally {
      await untilBack(own);
      idle.push(own);
    }
  });
});

/** One after the other on one wire, which the next test finds whole. */
function oneByOne(): void {
  beforeEach(() => origin.reset());
  afterEach(() => untilBack(lane));
}

describe("an unavailable store", () => {
  oneByOne();

  it.each([
    ["hangs", "hang"],
    ["is a bridge without its Redis", redisGone],
  ] as const)(
    "lets newcomers through with the edge's own pass where the queue says so: it %s",
    async (_name, fault) => {
      await admitted("opened");
      wire.replyWith(fault);
      const seen = await createVisitor(url).get("/opened/x");
      expect([seen.status, seen.setCookies, seen.tookMs < ANSWER_MS_MAX]).toEqual([200, [], true]);
      expect(origin.requests.at(-1)?.headers.get("x-sluice-pass")?.[0]).toMatch(/^eyJ/);
    },
  );

  it("admits no one outside an event's time, not even there", async () => {
    const answerOf = async (queueId: string) => {
      const { status, json } = await createVisitor(url).get(`/${queueId}/x`, JSON_PLEASE);
      return [status, json["code"] ?? json["state"]];
    };
    const before = [await answerOf("scheduled"), await answerOf("prequeue"), await answerOf("over")];
    expect(before).toEqual([
      [200, "prequeue"],
      [200, "waiting"],
      [503, "event_over"],
    ]);
    origin.reset();
    wire.replyWith("hang");
    // Answers that need no store stay the same.
    expect([await answerOf("scheduled"), await answerOf("prequeue"), await answerOf("over")]).toEqual([
      [200, "prequeue"],
      [503, "store_unavailable"],
      [503, "event_over"],
    ]);
    expect(origin.requests).toEqual([]);
  });

  it("never admits a visitor because of an unexpected error, not even there", async () => {
    await admitted("opened");
    await stack.redis.rename("queue:{opened}:bucket", "queue:{opened}:bucket-kept").catch(() => undefined);
    await stack.redis.set("queue:{opened}:bucket", "of the wrong type");
    const refused = await createVisitor(url).get("/opened/wrong", JSON_PLEASE);
    await stack.redis.del("queue:{opened}:bucket");
    expect([refused.status, refused.json["code"]]).toEqual([503, "store_unavailable"]);
    expect((await createVisitor(url).get("/closed/", JSON_PLEASE)).status).toBe(200);
  });

  it.each([["SIGSTOP"]] as const)(
    "as a stopped process (%s): answers within a second, and works when it wakes",
    async (signal) => {
      const inside = await admitted("checked");
      process.kill(stack.redisServer.pid, signal);
      try {
        const endsAt = performance.now() + LOOKED_AT_MS;
        while (performance.now() < endsAt) {
          const newcomer = await createVisitor(url).get("/closed/new", JSON_PLEASE);
          expect([newcomer.status, newcomer.tookMs < ANSWER_MS_MAX]).toEqual([503, true]);
          const served = await inside.get("/checked/in");
          expect([served.status, served.tookMs < ANSWER_MS_MAX]).toEqual([200, true]);
        }
      } finally {
        stack.redisServer.thaw();
      }
      await until(async () => (await createVisitor(url).get("/closed/", JSON_PLEASE)).status === 200);
    },
  );

  it("from the first request on: an edge without settings refuses everything but its own routes", async () => {
    wire.replyWith("hang");
    const cold = await stack.startEdge({ storeAddress: wire.address });
    const seen = await createVisitor(cold.url).get("/anything", JSON_PLEASE);
    expect([seen.status, seen.json["code"], seen.tookMs < ANSWER_MS_MAX]).toEqual([503, "store_unavailable", true]);
    expect((await createVisitor(cold.url).get("/_sluice/jwks.json")).status).toBe(200);
    expect(origin.requests).toEqual([]);
    wire.replyWith("pass");
    await until(async () => (await createVisitor(cold.url).get("/closed/", JSON_PLEASE)).status === 200);
  });

  it("opens a queue with policy open also where newcomers owe proof of work", async () => {
    expect((await createVisitor(url).get("/working/", JSON_PLEASE)).status).toBe(428);
    wire.replyWith(http("HTTP/1.1 500 Oops\r\ncontent-type: application/json", '{"error":"boom"}'));
    await until(async () => {
      await createVisitor(url).send("POST", "/_sluice/queues/probe/enter");
      return (await createVisitor(url).get("/working/in", JSON_PLEASE)).json["url"] === "/working/in";
    });
    wire.replyWith("pass");
    await until(async () => (await createVisitor(url).get("/working/", JSON_PLEASE)).status === 428);
  });

  it("is logged without the command that failed", async () => {
    wire.replyWith(http("HTTP/1.1 500 Oops\r\ncontent-type: application/json", '{"error":"boom"}'));
    await createVisitor(url).get("/closed/new", JSON_PLEASE);
    const logFile = stack.logFiles[stack.edges.findIndex((edge) => edge.url === url)];
    await until(async () => (await readFile(logFile ?? "", "utf8")).includes("boom"));
    const text = await readFile(logFile ?? "", "utf8");
    expect(text).toContain("the store failed");
    expect(text).not.toMatch(/command was|queue:\{/);
  });

  it("that has lost its scripts gets them again", async () => {
    await stack.redis.script("FLUSH");
    expect((await createVisitor(url).get("/closed/", JSON_PLEASE)).status).toBe(200);
  });
});

describe("a reply that is lost after the script ran", () => {
  /** A script that Redis does not know is refused, and that reply would be lost as well. */
  beforeAll(async () => {
    await stack.setQueue("warm", { maxActive: 1 });
    await createVisitor(url).get("/warm/");
    const visitor = createVisitor(url);
    const told = (await visitor.get("/warm/", JSON_PLEASE)).json["pollAfterMs"];
    await new Promise((resolve) => setTimeout(resolve, Number(told)));
    expect((await visitor.get("/warm/", JSON_PLEASE)).json["state"]).toBe("waiting");
  });

  oneByOne();

  it("changes nothing: a join, a poll, a claim and a leave are acted on once", async () => {
    await stack.setQueue("lost", { maxActive: 1 });
    await createVisitor(url).get("/lost/");
    wire.replyWith("drop");
    const joining = createVisitor(url).get("/lost/", JSON_PLEASE);
    await until(async () => (await stack.redis.zcard("queue:{lost}:waiting")) === 1);
    await joining;
    expect(await stack.redis.zcard("queue:{lost}:waiting")).toBe(1);
    await untilBack(lane);
    const visitor = createVisitor(url);
    await until(async () => (await visitor.get("/lost/", JSON_PLEASE)).json["state"] === "waiting");
    const ticket = visitor.cookies.get("sluice-ticket-lost");
    const [dead] = await stack.redis.zrange("queue:{lost}:waiting", "0", "0");
    await stack.redis.zrem("queue:{lost}:waiting", dead ?? "");
    const [holder] = await stack.redis.zrange("queue:{lost}:active", "0", "0");
    await stack.redis.zrem("queue:{lost}:active", holder ?? "");
    // The claim is carried out, and its reply is lost: the same ticket gets the same session on the next poll.
    await new Promise((resolve) => setTimeout(resolve, 1_200));
    wire.replyWith("drop");
    // The edge's background reads fail too, and may stop its calls for a second.
    await until(async () => {
      expect((await visitor.get("/lost/in", JSON_PLEASE)).status).toBe(503);
      return (await stack.redis.zcard("queue:{lost}:active")) === 1;
    });
    expect(visitor.cookies.get("sluice-ticket-lost")).toBe(ticket);
    wire.replyWith("pass");
    await until(async () => (await visitor.get("/lost/in", JSON_PLEASE)).json["url"] === "/lost/in");
    expect(await stack.redis.zcard("queue:{lost}:active")).toBe(1);
    expect(await stack.redis.zcard("queue:{lost}:waiting")).toBe(0);
  });

  it("does not matter when it killed the edge: the same ticket gets the same session at another one", async () => {
    await stack.setQueue("killed", { maxActive: 1 });
    const victim = lanes.at(-1) as Lane;
    const [holder, visitor] = [createVisitor(victim.url), createVisitor(victim.url)];
    await holder.get("/killed/");
    const { ticketId } = (await visitor.get("/killed/", JSON_PLEASE)).json;
    await holder.send("POST", "/_sluice/queues/killed/leave");
    // The claim is carried out, and its reply is lost.
    victim.wire.replyWith("hang");
    const isClaimed = async () => (await stack.redis.get(`queue:{killed}:used:${String(ticketId)}`)) === "admitted";
    await until(
      async () => {
        if (await isClaimed()) return true;
        await visitor.get("/killed/in", JSON_PLEASE);
        return isClaimed();
      },
      { withinMs: 20_000, everyMs: 250 },
    );
    process.kill(victim.edge.child.pid, "SIGKILL");
    await victim.edge.child.exited;
    const elsewhere = createVisitor(url);
    for (const [name, value] of visitor.cookies) elsewhere.cookies.set(name, value);
    expect((await elsewhere.get("/killed/in", JSON_PLEASE)).json["url"]).toBe("/killed/in");
    expect(decodeJwt(elsewhere.cookies.get("sluice-pass-killed") ?? "").sub).toBe(ticketId);
    expect(await stack.redis.zrange("queue:{killed}:active", "0", "-1")).toEqual([ticketId]);
  });
});
