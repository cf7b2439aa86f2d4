import { beforeAll, describe, expect, it } from "vitest";
import { openLine } from "../../edge/line/line.ts";
import { scriptRunner } from "../../origin/redis/script-runner.ts";
import { until } from "../gate/visitor.ts";
import { newSessionId, SETTINGS, startAdminGate } from "./admin-gate.ts";

type Session = { readonly sessionId: string; readonly state: string; readonly expiresAt: number };

const gate = await startAdminGate();
const { call, redis } = gate;
const FAR_MS = 3_600_000;

beforeAll(async () => {
  await makeQueue("launch");
});

async function makeQueue(queueId: string, settings: object = {}): Promise<void> {
  const json = { queueId, ...SETTINGS, maxActive: 1_000, admissionRate: 1_000, admissionBurst: 1_000, ...settings };
  expect((await call("POST", "/admin/queues", { json })).status).toBe(201);
}

function lineOf(queueId: string) {
  return openLine({ store: scriptRunner(redis), queueId, ticketLifeMs: FAR_MS, random: () => 0.5 });
}

async function admit(queueId: string): Promise<string> {
  const ticketId = newSessionId();
  const answer = await lineOf(queueId).enter({ ticketId, lane: 0, addressHash: "h", ticketsPerIp: 0 });
  expect(answer.state).toBe("admitted");
  await lineOf(queueId).touch({ sessionId: ticketId, views: 1, how: "renew", isFirst: true });
  return ticketId;
}

async function pagesOf(queueId: string, limit: number): Promise<readonly (readonly Session[])[]> {
  const pages: Session[][] = [];
  let cursor: string | null = "";
  while (cursor !== null && pages.length < 100) {
    const query: string = cursor === "" ? "" : `&cursor=${cursor}`;
    const { status, body } = await call("GET", `/admin/queues/${queueId}/sessions?limit=${limit}${query}`);
    expect(status).toBe(200);
    pages.push(body["sessions"] as Session[]);
    cursor = body["nextCursor"] as string | null;
  }
  return pages;
}

describe("GET /_sluice/admin/queues/{id}/sessions", () => {
  it("lists the sessions, and which of them are unclaimed", async () => {
    await makeQueue("told");
    const sessionId = await admit("told");
    const reserved = newSessionId();
    const end = Date.now() + 20_000;
    await redis.zadd("queue:{told}:active", end, reserved, 1, newSessionId());
    await redis.zadd("queue:{told}:ready", 1, reserved);
    const { headers, body } = await call("GET", "/admin/queues/told/sessions");
    expect(headers.get("cache-control")).toBe("no-store");
    expect(body["nextCursor"]).toBeNull();
    const sessions = body["sessions"] as Session[];
    expect(sessions[0]).toEqual({ sessionId: reserved, state: "reserved", expiresAt: end, metadata: null });
    expect(sessions[1]).toMatchObject({ sessionId, state: "admitted" });
    expect(Math.abs((sessions[1]?.expiresAt ?? 0) - Date.now() - FAR_MS)).toBeLessThan(60_000);
    expect(sessions.length).toBe(2);
    for (const session of sessions)
      expect((await call("GET", `/admin/queues/told/sessions/${session.sessionId}`)).body).toEqual(session);
    const absent = await call("GET", `/admin/queues/told/sessions/${newSessionId()}`);
    expect([absent.status, absent.body["code"]]).toEqual([404, "session_not_found"]);
    expect((await call("GET", `/admin/queues/nowhere/sessions/${sessionId}`)).body["code"]).toBe("queue_not_found");
  });

  it("shows what a visitor's program said about itself when it joined, also after a wait", async () => {
    await makeQueue("known", { maxActive: 1 });
    const enter = (json: object, headers: Record<string, string> = {}) =>
      call("POST", "/queues/known/enter", { json, headers });
    const shown = async (sessionId: unknown) =>
      (await call("GET", `/admin/queues/known/sessions/${String(sessionId)}`, {})).body["metadata"];
    const visitor = { authorization: "" };
    const first = await enter({ metadata: { source: "mail", visits: 3, ключ: '"\\' } }, visitor);
    expect(first.body["state"]).toBe("admitted");
    await until(async () => (await shown(first.body["sessionId"])) !== null);
    expect(await shown(first.body["sessionId"])).toEqual({ source: "mail", visits: 3, ключ: '"\\' });
    // An admitted visitor may send metadata again.
    const bearer = { authorization: `Bearer ${String(first.body["pass"])}` };
    await enter({ metadata: { source: "app" } }, bearer);
    await until(async () => ((await shown(first.body["sessionId"])) as { source: string }).source === "app");

    const second = await enter({ metadata: { source: "print", vip: true } }, visitor);
    expect(second.body["state"]).toBe("waiting");
    expect(await redis.keys("queue:{known}:session:*")).toEqual([
      `queue:{known}:session:${String(first.body["sessionId"])}`,
    ]);
    await call("DELETE", `/admin/queues/known/sessions/${String(first.body["sessionId"])}`);
    const ticket = { authorization: `Bearer ${String(second.body["ticket"])}` };
    let polled = second;
    await until(async () => {
      polled = await call("POST", "/queues/known/heartbeat", { headers: ticket });
      return polled.body["state"] === "admitted";
    });
    await until(async () => (await shown(polled.body["sessionId"])) !== null);
    const { body } = await call("GET", "/admin/queues/known/sessions");
    expect((body["sessions"] as { metadata: unknown }[]).map(({ metadata }) => metadata)).toEqual([
      { source: "print", vip: true },
    ]);
    expect(await redis.pttl(`queue:{known}:session:${String(polled.body["sessionId"])}`)).toBeGreaterThan(0);
  });

  it.each([
    [
      "too long as a whole",
      Object.fromEntries(Array.from({ length: 5 }, (_, index) => [`k${index}`, "x".repeat(120)])),
    ],
    ["too many fields", Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`k${index}`, 1]))],
    ["a list in it", { a: [1] }],
    ["no object", "mail"],
  ])("refuses what a program says about itself: %s", async (_what, metadata) => {
    const answer = await call("POST", "/queues/launch/enter", { json: { metadata }, headers: { authorization: "" } });
    expect([answer.status, answer.body["code"]]).toEqual([422, "validation_failed"]);
    expect((answer.body["errors"] as { field: string }[])[0]?.field).toMatch(/^metadata/);
  });

  it.each([
    ["each at another time", (index: number) => index],
    ["all in one millisecond", () => 0],
    ["many in one millisecond", (index: number) => Math.floor(index / 7)],
  ])("gives every session once over its pages: %s", async (what, spread) => {
    const queueId = `paged-${what.length}`;
    await makeQueue(queueId);
    const end = Date.now() + FAR_MS;
    const ids = Array.from({ length: 53 }, newSessionId);
    for (const [index, id] of ids.entries()) await redis.zadd(`queue:{${queueId}}:active`, end + spread(index), id);
    for (const limit of [1, 10, 53, 1_000]) {
      const pages = await pagesOf(queueId, limit);
      expect(pages.length).toBe(Math.ceil(53 / limit));
      expect(
        pages
          .flat()
          .map(({ sessionId }) => sessionId)
          .toSorted(),
      ).toEqual(ids.toSorted());
    }
  });

  it("is bounded: 100 unless told otherwise, 1,000 at most", async () => {
    await makeQueue("crowded");
    const members = Array.from({ length: 1_200 }, (_, index) => [Date.now() + FAR_MS + index, newSessionId()]).flat();
    await redis.zadd("queue:{crowded}:active", ...members);
    const sizes = (
      await Promise.all([
        call("GET", "/admin/queues/crowded/sessions"),
        call("GET", "/admin/queues/crowded/sessions?limit=1000"),
      ])
    ).map(({ body }) => (body["sessions"] as Session[]).length);
    expect(sizes).toEqual([100, 1_000]);
  });

  it("leaves none out when sessions end and renew between two pages", async () => {
    await makeQueue("moving");
    const end = Date.now() + FAR_MS;
    const ids = Array.from({ length: 20 }, newSessionId);
    for (const [index, id] of ids.entries()) await redis.zadd("queue:{moving}:active", end + Math.floor(index / 4), id);
    const first = await call("GET", "/admin/queues/moving/sessions?limit=6");
    const seen = (first.body["sessions"] as Session[]).map(({ sessionId }) => sessionId);
    await redis.zrem("queue:{moving}:active", seen[0] ?? "");
    await redis.zadd("queue:{moving}:active", end + 1_000, seen[5] ?? "");
    const rest = await call("GET", `/admin/queues/moving/sessions?cursor=${first.body["nextCursor"]}`);
    const all = [...seen, ...(rest.body["sessions"] as Session[]).map(({ sessionId }) => sessionId)];
    expect([...new Set(all)].toSorted()).toEqual(ids.toSorted());
  });

  it("leaves out those that ended while the reader paused", async () => {
    await makeQueue("paused-reader");
    await redis.zadd(
      "queue:{paused-reader}:active",
      1_000,
      newSessionId(),
      2_000,
      newSessionId(),
      3_000,
      newSessionId(),
    );
    const { body } = await call("GET", `/admin/queues/paused-reader/sessions?cursor=1500.${newSessionId()}`);
    expect(body).toEqual({ sessions: [], nextCursor: null });
  });

  it("answers 404 for a queue that is not there", async () => {
    const { status, body } = await call("GET", "/admin/queues/nowhere/sessions");
    expect([status, body["code"]]).toEqual([404, "queue_not_found"]);
  });
});

const endings: readonly (readonly [string, (queueId: string, sessionId: string) => ReturnType<typeof call>])[] = [
  [
    "DELETE …/sessions/{id}?reason=",
    (queueId, id) => call("DELETE", `/admin/queues/${queueId}/sessions/${id}?reason=too%20many%20orders`),
  ],
  [
    "DELETE …/sessions/{id} with a body",
    (queueId, id) => call("DELETE", `/admin/queues/${queueId}/sessions/${id}`, { json: { reason: "too many orders" } }),
  ],
  [
    "POST /_sluice/admin/revocations",
    (queueId, sessionId) =>
      call("POST", "/admin/revocations", { json: { queueId, sessionId, reason: " too many orders " } }),
  ],
];

describe.each(endings)("%s", (name, end) => {
  const queueId = `ended-${name.length}`;
  beforeAll(() => makeQueue(queueId));

  it("frees the slot, tells every edge why, and keeps the visitor from coming back", async () => {
    const sessionId = await admit(queueId);
    expect((await end(queueId, sessionId)).status).toBe(204);
    expect(await redis.zscore(`queue:{${queueId}}:active`, sessionId)).toBeNull();
    expect(await redis.get(`revocation:{${queueId}}:${sessionId}`)).toBe("too many orders");
    expect(Number(await redis.zscore(`queue:{${queueId}}:revoked`, sessionId))).toBeGreaterThan(Date.now() - 60_000);
    const answer = await lineOf(queueId).beat({ ticketId: sessionId, order: 1 });
    expect(answer).toEqual({ state: "ended", reason: "revoked" });
  });

  it("records an unknown session, because its pass may be valid", async () => {
    const sessionId = newSessionId();
    expect((await end(queueId, sessionId)).status).toBe(204);
    expect(await redis.zscore(`queue:{${queueId}}:revoked`, sessionId)).not.toBeNull();
    expect(await redis.pttl(`revocation:{${queueId}}:${sessionId}`)).toBeGreaterThan(FAR_MS - 60_000);
  });

  it("asked again, even many times at once, changes nothing", async () => {
    const sessionId = await admit(queueId);
    const answers = await Promise.all(Array.from({ length: 10 }, () => end(queueId, sessionId)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([204]));
    const endedAt = await redis.zscore(`queue:{${queueId}}:revoked`, sessionId);
    expect((await end(queueId, sessionId)).status).toBe(204);
    expect(await redis.zscore(`queue:{${queueId}}:revoked`, sessionId)).toBe(endedAt);
  });

  it("answers 404 for a queue that is not there, and writes nothing", async () => {
    const answer = await end("nowhere", newSessionId());
    expect([answer.status, answer.body["code"]]).toEqual([404, "queue_not_found"]);
    expect(await redis.keys("*{nowhere}*")).toEqual([]);
  });

  it("is in the log with the operator's words", async () => {
    const sessionId = await admit(queueId);
    const { headers } = await end(queueId, sessionId);
    const lineOfRequest = async () =>
      (await gate.logLines()).find((line) => line["requestId"] === headers.get("x-request-id"));
    await expect
      .poll(lineOfRequest)
      .toMatchObject({ msg: "an operator revoked", queueId, after: { sessionId, reason: "too many orders" } });
  });
});

describe("an issued pass", () => {
  it.each(["sessionId", "jti"])("is refused at once on the edge that was asked to revoke it by %s", async (kind) => {
    const queueId = `holders-${kind.toLowerCase()}`;
    await makeQueue(queueId);
    const entered = await call("POST", `/queues/${queueId}/enter`, { headers: { authorization: "" } });
    const pass = String(entered.body["pass"]);
    const headers = { authorization: `Bearer ${pass}` };
    expect((await call("POST", `/queues/${queueId}/heartbeat`, { headers })).body["state"]).toBe("admitted");
    const { jti } = JSON.parse(Buffer.from(pass.split(".")[1] ?? "", "base64url").toString()) as { jti: string };
    const id = kind === "jti" ? { jti } : { sessionId: entered.body["sessionId"] };
    expect((await call("POST", "/admin/revocations", { json: { queueId, ...id, reason: "test" } })).status).toBe(204);
    const told = await call("POST", `/queues/${queueId}/heartbeat`, { headers });
    expect(told.body).toMatchObject({ state: "ended", reason: "revoked" });
  });
});

describe("ending without a reason", () => {
  it("says that an operator did it", async () => {
    const sessionId = await admit("launch");
    expect((await call("DELETE", `/admin/queues/launch/sessions/${sessionId}`)).status).toBe(204);
    expect(await redis.get(`revocation:{launch}:${sessionId}`)).toBe("ended by an operator");
  });
});

describe("POST /_sluice/admin/revocations by jti", () => {
  it("refuses the one pass for as long as any pass can live, and leaves the session its slot", async () => {
    const [sessionId, jti] = [await admit("launch"), newSessionId()];
    const answer = await call("POST", "/admin/revocations", { json: { queueId: "launch", jti, reason: "stolen" } });
    expect([answer.status, answer.headers.get("cache-control")]).toEqual([204, "no-store"]);
    expect(await redis.get(`revocation:{launch}:${jti}`)).toBe("stolen");
    expect(await redis.pttl(`revocation:{launch}:${jti}`)).toBeGreaterThan(86_400_000 - 60_000);
    expect(await redis.zscore("queue:{launch}:revoked", jti)).not.toBeNull();
    expect(await redis.zscore("queue:{launch}:active", sessionId)).not.toBeNull();
  });

  it("asked again, keeps the first reason", async () => {
    const jti = newSessionId();
    for (const reason of ["first", "second"]) {
      expect((await call("POST", "/admin/revocations", { json: { queueId: "launch", jti, reason } })).status).toBe(204);
    }
    expect(await redis.get(`revocation:{launch}:${jti}`)).toBe("first");
  });

  it("answers 404 for a queue that is not there", async () => {
    const answer = await call("POST", "/admin/revocations", {
      json: { queueId: "nowhere", jti: newSessionId(), reason: "x" },
    });
    expect([answer.status, answer.body["code"]]).toEqual([404, "queue_not_found"]);
  });

  it.each([
    ["neither", { reason: "x" }, "sessionId"],
    ["both", { sessionId: newSessionId(), jti: newSessionId(), reason: "x" }, "sessionId"],
    ["no reason", { jti: newSessionId() }, "reason"],
    ["an empty reason", { jti: newSessionId(), reason: "  " }, "reason"],
    ["a reason past its bound", { jti: newSessionId(), reason: "x".repeat(201) }, "reason"],
    ["another form of id", { jti: "x".repeat(40), reason: "x" }, "jti"],
  ])("refuses %s, and writes nothing", async (_what, fields, field) => {
    const before = await redis.zcard("queue:{launch}:revoked");
    const answer = await call("POST", "/admin/revocations", { json: { queueId: "launch", ...fields } });
    expect(answer.status).toBe(422);
    expect(answer.body["errors"]).toEqual([{ field, message: expect.any(String) }]);
    expect(await redis.zcard("queue:{launch}:revoked")).toBe(before);
  });
});
