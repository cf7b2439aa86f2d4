// @module-tag timing: every operation answers within a second while Redis is unavailable.
import { beforeAll, describe, expect, it } from "vitest";
import { steadyNowMs } from "../../kit/steady-clock.ts";
import { HURRIED } from "../../kit/unhurried.ts";
import { type Answer, newSessionId, SETTINGS, startAdminGate } from "./admin-gate.ts";

const gate = await startAdminGate(HURRIED);
const { call, redis, redisServer } = gate;

const everyOperation: readonly (readonly [string, string, unknown])[] = [
  ["GET", "/admin/queues", undefined],
  ["POST", "/admin/queues", { queueId: "made-in-an-outage", ...SETTINGS }],
  ["GET", "/admin/queues/launch", undefined],
  ["PATCH", "/admin/queues/launch", { maxActive: 99 }],
  ["DELETE", "/admin/queues/launch?force=true", undefined],
  ["GET", "/admin/queues/launch/sessions", undefined],
  ["DELETE", `/admin/queues/launch/sessions/${newSessionId()}`, undefined],
  ["POST", "/admin/revocations", { queueId: "launch", jti: newSessionId(), reason: "x" }],
  ["GET", "/admin/routes", undefined],
  ["PUT", "/admin/routes", { routes: [] }],
  ["POST", "/admin/routes", { path: "/made-in-an-outage", queueId: "launch" }],
  ["DELETE", "/admin/routes?path=/made-in-an-outage", undefined],
  ["GET", "/admin/queues/launch/stats", undefined],
  ["GET", "/admin/audit", undefined],
];

beforeAll(async () => {
  expect((await call("POST", "/admin/queues", { json: { queueId: "launch", ...SETTINGS } })).status).toBe(201);
});

async function timed(work: Promise<Answer>): Promise<{ readonly answer: Answer; readonly tookMs: number }> {
  const startedAt = steadyNowMs();
  const answer = await work;
  return { answer, tookMs: steadyNowMs() - startedAt };
}

async function expectAllRefused(): Promise<void> {
  for (const [method, path, json] of everyOperation) {
    const headers: Record<string, string> = method === "PUT" ? { "if-match": "*" } : {};
    const { answer, tookMs } = await timed(call(method, path, json === undefined ? {} : { json, headers }));
    expect([method, path, answer.status, answer.body["code"]]).toEqual([method, path, 503, "store_unavailable"]);
    expect(answer.headers.get("retry-after")).toBe("2");
    expect(tookMs).toBeLessThan(1_000);
  }
}

async function whileRedisStandsStill(work: () => Promise<void>): Promise<void> {
  const { pid } = redisServer;
  expect(pid).toBeGreaterThan(1);
  process.kill(pid, "SIGSTOP");
  try {
    await work();
  } finally {
    process.kill(pid, "SIGCONT");
  }
  await expect.poll(async () => (await call("GET", "/admin/queues/launch")).status).toBe(200);
}

describe("when the store is unavailable", () => {
  it("every operation answers 503 within a second while Redis hangs, and works when it is back", async () => {
    await whileRedisStandsStill(expectAllRefused);
  });

  it("a queue created just before is not reported as missing, and is known when the store is back", async () => {
    const enter = (queueId = "newborn") => call("POST", `/queues/${queueId}/enter`, { headers: { authorization: "" } });
    // The edge's cached values say nothing about the new one.
    await expect.poll(async () => (await enter("launch")).status).toBe(200);
    expect((await call("POST", "/admin/queues", { json: { queueId: "newborn", ...SETTINGS } })).status).toBe(201);
    await whileRedisStandsStill(async () => {
      for (let attempt = 0; attempt < 3; attempt++) {
        const { status, body } = await enter();
        expect([status, body["code"]]).toEqual([503, "store_unavailable"]);
      }
    });
    await expect.poll(async () => (await enter()).status).toBe(200);
    expect((await enter("never-made")).body["code"]).toBe("queue_not_found");
  });

  it("an invalid body and an unauthenticated client still get their errors", async () => {
    await whileRedisStandsStill(async () => {
      expect((await call("PATCH", "/admin/queues/launch", { json: { maxActive: 0 } })).status).toBe(422);
      expect((await call("GET", "/admin/queues", { headers: { authorization: "Bearer wrong" } })).status).toBe(401);
      expect((await call("GET", "/openapi.json")).status).toBe(200);
    });
  });

  it("scripts that the server forgot are sent again", async () => {
    await redis.script("FLUSH");
    for (const [method, path, json] of everyOperation) {
      const { status } = await call(method, path, json === undefined ? {} : { json });
      expect([method, path, status < 500]).toEqual([method, path, true]);
    }
  });

  it("data that could not have been stored is an internal error, never an outage, and reveals no details", async () => {
    await redis.hset("queue:{damaged}:meta", "max_active", "many", "version", "1");
    const damaged = await call("GET", "/admin/queues/damaged");
    expect([damaged.status, damaged.body["code"]]).toEqual([500, "internal_error"]);
    await redis.set("queue:{wrong-type}:meta", "text");
    const wrongType = await call("GET", "/admin/queues/wrong-type");
    expect([wrongType.status, wrongType.body["code"]]).toEqual([500, "internal_error"]);
    expect(wrongType.text).not.toMatch(/WRONGTYPE|evalsha/i);
  });

  it("every operation answers 503 at once while the store refuses connections", async () => {
    await gate.takeStoreAway();
    await expectAllRefused();
  });
});
