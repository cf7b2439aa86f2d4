import { decodeJwt } from "jose";
import { beforeEach, describe, expect, it } from "vitest";
import { startGateStack } from "./gate-stack.ts";
import { createVisitor, JSON_PLEASE, until, type Visitor } from "./visitor.ts";

const stack = await startGateStack({ edgeCount: 3 });
const { origin, edges, redis } = stack;
const urls = edges.map(({ url }) => url);
const url = urls[0] ?? "";

beforeEach(() => origin.reset());

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Runs of scripts since the last reset. */
async function scriptsRun(): Promise<number> {
  const stats = await redis.info("commandstats");
  const calls = (name: string) => Number(new RegExp(`cmdstat_${name}:calls=(\\d+)`).exec(stats)?.[1] ?? 0);
  return calls("evalsha") + calls("eval");
}

/**
 * An edge's work after its responses, however many there are: routes, the queue, the feed, a sweep, each at most about
 * once a second.
 */
const BACKGROUND_PER_SECOND = 6;

async function measured(work: () => Promise<void>): Promise<{ readonly scripts: number; readonly background: number }> {
  await redis.config("RESETSTAT");
  const startedAt = performance.now();
  await work();
  await sleep(100);
  const seconds = (performance.now() - startedAt) / 1000;
  return {
    scripts: await scriptsRun(),
    background: Math.ceil(seconds * BACKGROUND_PER_SECOND) + BACKGROUND_PER_SECOND,
  };
}

describe("store calls (G6)", () => {
  it("0 for an admitted request, 1 for a join, 1 for a poll", async () => {
    await stack.setQueue("counted", { maxActive: 500, admissionBurst: 500, admissionRate: 500 });
    await stack.setQueue("counted-line", { maxActive: 1, claimSeconds: 4 });
    await createVisitor(url).get("/counted-line/");
    const inside = createVisitor(url);
    await inside.get("/counted/");
    const admitted = await measured(async () => {
      for (let request = 0; request < 200; request++) await inside.get("/counted/x");
    });
    expect(admitted.scripts).toBeLessThanOrEqual(admitted.background);
    // Far fewer than one per request, also on a machine that takes its time.
    expect(admitted.background).toBeLessThan(100);
    const joining = await measured(async () => {
      for (let join = 0; join < 100; join++) await createVisitor(url).get("/counted/x");
    });
    expect(joining.scripts).toBeGreaterThanOrEqual(100);
    expect(joining.scripts).toBeLessThanOrEqual(100 + joining.background);
    const waiting = Array.from({ length: 60 }, () => createVisitor(url));
    const pauses: number[] = [];
    for (const visitor of waiting)
      pauses.push(Number((await visitor.get("/counted-line/", JSON_PLEASE)).json["pollAfterMs"]));
    // A poll before half its time is answered from memory.
    await sleep(Math.max(...pauses) / 2);
    const polling = await measured(async () => {
      for (const visitor of waiting)
        expect((await visitor.get("/counted-line/", JSON_PLEASE)).json["state"]).toBe("waiting");
    });
    expect(polling.scripts).toBeGreaterThanOrEqual(60);
    expect(polling.scripts).toBeLessThanOrEqual(60 + polling.background);
    // One after the other for each visitor, so that only the first can come in time, however long the others take.
    const early = await measured(async () => {
      for (const visitor of waiting.slice(40))
        for (let poll = 0; poll < 5; poll++) await visitor.get("/counted-line/", JSON_PLEASE);
    });
    expect(early.scripts).toBeLessThanOrEqual(20 + early.background);
    expect(20 + early.background).toBeLessThan(100);
  });
});

/** Polls as told, at any edge that is left, until it is in. */
async function waitInLine(visitor: Visitor, path: string, isOver: () => boolean): Promise<boolean> {
  while (!isOver()) {
    const at = urls[Math.floor(Math.random() * urls.length)] ?? "";
    const roaming = createVisitor(at);
    for (const [name, value] of visitor.cookies) roaming.cookies.set(name, value);
    const seen = await roaming.get(path, JSON_PLEASE).catch(() => undefined);
    if (seen !== undefined) {
      visitor.cookies.clear();
      for (const [name, value] of roaming.cookies) visitor.cookies.set(name, value);
    }
    if (seen?.json["url"] === path) return true;
    await sleep(Number(seen?.json["pollAfterMs"] ?? 300));
  }
  return false;
}

/** When each running session began, none of which has shown its pass yet. */
async function admittedAtMs(queueId: string, { claimSeconds }: { readonly claimSeconds: number }): Promise<number[]> {
  const slots = await redis.zrange(`queue:{${queueId}}:active`, "0", "-1", "WITHSCORES");
  return slots.flatMap((_, index) => (index % 2 === 0 ? [Number(slots[index + 1]) - claimSeconds * 1_000] : []));
}

describe("several edges on one store", () => {
  it("never let in more than maxActive (G1) nor faster than burst and rate (G2), also when an edge is killed among them", async () => {
    const limits = { maxActive: 25, admissionRate: 8, admissionBurst: 4, claimSeconds: 60, sessionTtlSeconds: 600 };
    await stack.setQueue("crowd", limits);
    const seenSessions = new Set<string>();
    origin.answerWith((request, response) => {
      seenSessions.add(String(decodeJwt(String(request.headers["x-sluice-pass"])).sub));
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ url: request.url }));
    });
    let mostActive = 0;
    let isOver = false;
    const watching = (async () => {
      while (!isOver) {
        mostActive = Math.max(mostActive, await redis.zcount("queue:{crowd}:active", Date.now(), "+inf"));
        await sleep(10);
      }
    })();
    const crowd = Array.from({ length: 60 }, () => waitInLine(createVisitor(url), "/crowd/x", () => isOver));
    await until(() => seenSessions.size >= 10, { withinMs: 20_000 });
    const victim = edges[2];
    process.kill(victim?.child.pid ?? Number.NaN, "SIGKILL");
    await victim?.child.exited;
    urls.pop();
    // A visitor admitted by the killed edge may not have the answer. The rest fill up, and more try than there are
    // slots.
    await until(() => seenSessions.size >= limits.maxActive - 5, { withinMs: 20_000 });
    await sleep(1_500);
    isOver = true;
    const results = await Promise.all(crowd);
    await watching;
    expect(mostActive).toBeLessThanOrEqual(limits.maxActive);
    expect(results.filter(Boolean).length).toBeGreaterThan(15);
    expect(seenSessions.size).toBeLessThanOrEqual(limits.maxActive);
    // By the store's own clock: an admission reaches the origin some time later, on a busy machine much later.
    const moments = (await admittedAtMs("crowd", limits)).toSorted((a, b) => a - b);
    expect(moments.length).toBeGreaterThanOrEqual(seenSessions.size);
    for (const [first, from] of moments.entries()) {
      for (const [last, to] of moments.entries()) {
        if (last < first) continue;
        const seconds = (to - from + 1) / 1000;
        expect(last - first + 1).toBeLessThanOrEqual(limits.admissionBurst + limits.admissionRate * seconds + 1e-9);
      }
    }
  });

  it("agree on the time: one whose clock is an hour off gives and takes the same tickets and passes", async () => {
    await stack.setQueue("late", { maxActive: 1, sessionTtlSeconds: 60 });
    for (const hours of [1, -1]) {
      const off = await stack.startEdge({ clockOffMs: hours * 3_600_000 });
      await until(async () => (await createVisitor(off.url).get("/_sluice/queues/late")).status === 200);
      const holder = createVisitor(off.url);
      await until(async () => (await holder.get("/late/x", JSON_PLEASE)).json["url"] === "/late/x");
      const pass = { cookie: `sluice-pass-late=${holder.cookies.get("sluice-pass-late") ?? ""}` };
      expect((await createVisitor(url).get("/late/y", { ...JSON_PLEASE, ...pass })).json["url"]).toBe("/late/y");
      const waiting = await createVisitor(off.url).send("POST", "/_sluice/queues/late/enter");
      expect(waiting.json["state"]).toBe("waiting");
      expect(Math.abs(Number(waiting.json["enqueuedAt"]) - Date.now())).toBeLessThan(60_000);
      const bearer = { authorization: `Bearer ${String(waiting.json["ticket"])}` };
      expect((await createVisitor(url).send("POST", "/_sluice/queues/late/heartbeat", bearer)).json).toMatchObject({
        state: "waiting",
        position: 1,
      });
      expect((await createVisitor(off.url).send("POST", "/_sluice/queues/late/leave", bearer)).status).toBe(204);
      await createVisitor(off.url).send("POST", "/_sluice/queues/late/leave", pass);
      await off.stop();
    }
  });
});
