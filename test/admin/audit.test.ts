import { beforeAll, describe, expect, it } from "vitest";
import { openAuditLog } from "../../edge/operators/admin/audit/audit-log.ts";
import { scriptRunner } from "../../origin/redis/script-runner.ts";
import { newSessionId, SETTINGS, startAdminGate } from "./admin-gate.ts";

type Entry = {
  readonly id: string;
  readonly at: number;
  readonly actor: string;
  readonly action: string;
  readonly queueId: string | null;
  readonly before: unknown;
  readonly after: unknown;
  readonly requestId: string;
  readonly outcome: string;
};

const ALICE = "a-token-that-alice-alone-has";
const gate = await startAdminGate({ SLUICE_ADMIN_TOKENS: `bob:a-token-that-bob-alone-has,alice:${ALICE}` });
const { call, redis } = gate;
const STORES = { store: scriptRunner(redis), endStore: scriptRunner(redis) };
const LOG = "gate:{directory}:audit";
const PENDING = "gate:{directory}:audit:pending";

async function audit(query = ""): Promise<{ readonly entries: readonly Entry[]; readonly nextCursor: string | null }> {
  const { status, body } = await call("GET", `/admin/audit${query}`);
  expect(status).toBe(200);
  return body as unknown as { entries: Entry[]; nextCursor: string | null };
}

const newest = async () => (await audit("?limit=1")).entries[0];

async function makeQueue(queueId: string, settings: object = {}): Promise<void> {
  expect((await call("POST", "/admin/queues", { json: { queueId, ...SETTINGS, ...settings } })).status).toBe(201);
}

beforeAll(() => makeQueue("launch"));

describe("every operator's change is logged with actor, action, before and after", () => {
  it("a queue that is created, changed and deleted", async () => {
    const made = await call("POST", "/admin/queues", { json: { queueId: "told", ...SETTINGS } });
    const requestId = made.headers.get("x-request-id");
    expect(await newest()).toMatchObject({
      actor: "operator",
      action: "queue.create",
      queueId: "told",
      before: null,
      after: SETTINGS,
      requestId,
    });
    await call("PATCH", "/admin/queues/told", {
      json: { maxActive: 9, mode: "paused", admissionRate: SETTINGS.admissionRate },
    });
    expect(await newest()).toMatchObject({
      action: "queue.change",
      queueId: "told",
      before: { maxActive: 5, mode: "active" },
      after: { maxActive: 9, mode: "paused" },
      outcome: "done",
    });
    const routes = { routes: [{ path: "/told/*", queueId: "told" }] };
    await call("PUT", "/admin/routes", { json: routes, headers: { "if-match": "*" } });
    expect(await newest()).toMatchObject({
      action: "routes.replace",
      queueId: null,
      before: [],
      after: ["*/told/* -> told"],
    });
    await call("DELETE", "/admin/queues/told?force=true");
    expect(await newest()).toMatchObject({
      action: "queue.delete",
      queueId: "told",
      before: { maxActive: 9, mode: "paused", routes: ["*/told/*"] },
      after: null,
    });
  });

  it("a session that is ended and a pass that is revoked", async () => {
    const [sessionId, jti] = [newSessionId(), newSessionId()];
    await call("DELETE", `/admin/queues/launch/sessions/${sessionId}?reason=abuse`);
    expect(await newest()).toMatchObject({
      action: "session.end",
      queueId: "launch",
      before: null,
      after: { sessionId, reason: "abuse" },
    });
    await call("POST", "/admin/revocations", { json: { queueId: "launch", jti, reason: "stolen" } });
    expect(await newest()).toMatchObject({
      action: "pass.revoke",
      queueId: "launch",
      after: { jti, reason: "stolen" },
    });
  });

  it("by the name of the operator's token, and with neither token nor address", async () => {
    const headers = { authorization: `Bearer ${ALICE}`, "cf-connecting-ip": "192.0.2.88" };
    expect((await call("PATCH", "/admin/queues/launch", { json: { maxActive: 8 }, headers })).status).toBe(200);
    expect(await newest()).toMatchObject({ actor: "alice", after: { maxActive: 8 } });
    expect(JSON.stringify(await redis.xrange(LOG, "-", "+"))).not.toMatch(/alice-alone|192\.0\.2\.88/);
    expect(
      (await call("GET", "/admin/queues", { headers: { authorization: "Bearer a-token-of-no-operator" } })).status,
    ).toBe(401);
  });

  it("by the store's time, and with nothing left open", async () => {
    await call("PATCH", "/admin/queues/launch", { json: { maxActive: 6 } });
    expect(Math.abs(((await newest())?.at ?? 0) - Date.now())).toBeLessThan(60_000);
    expect(await redis.xlen(PENDING)).toBe(0);
  });

  it("once for each of many at once", async () => {
    await makeQueue("raced");
    const rates = Array.from({ length: 4 }, (_, index) => index + 10);
    const answers = await Promise.all(
      rates.map((admissionRate) => call("PATCH", "/admin/queues/raced", { json: { admissionRate } })),
    );
    const done = answers.filter(({ status }) => status === 200).map(({ headers }) => headers.get("x-request-id"));
    const { entries } = await audit("?queueId=raced");
    const changes = entries.filter(({ action }) => action === "queue.change");
    expect(changes.map(({ requestId }) => requestId).toSorted()).toEqual(done.toSorted());
    expect(new Set(changes.map(({ after }) => JSON.stringify(after))).size).toBe(changes.length);
    expect(await redis.xlen(PENDING)).toBe(0);
  });
});

describe("a change without effect is not logged", () => {
  it.each([
    ["a name that is taken", "POST", "/admin/queues", { queueId: "launch", ...SETTINGS }, 409],
    ["a queue that is not there", "PATCH", "/admin/queues/nowhere", { maxActive: 1 }, 404],
    ["a body that is not valid", "PATCH", "/admin/queues/launch", { maxActive: 0 }, 422],
    ["a deletion of nothing", "DELETE", "/admin/queues/nowhere", undefined, 404],
    ["a route to nowhere", "POST", "/admin/routes", { path: "/x", queueId: "nowhere" }, 422],
    ["a table that was not read", "PUT", "/admin/routes", { routes: [] }, 428],
    ["a removal of a route that is not there", "DELETE", "/admin/routes?path=/nowhere", undefined, 404],
    [
      "a revocation in a queue that is not there",
      "POST",
      "/admin/revocations",
      { queueId: "nowhere", jti: newSessionId(), reason: "x" },
      404,
    ],
  ])("%s", async (_what, method, path, json, status) => {
    const before = await redis.xlen(LOG);
    expect((await call(method, path, json === undefined ? {} : { json })).status).toBe(status);
    expect([await redis.xlen(LOG), await redis.xlen(PENDING)]).toEqual([before, 0]);
  });

  it("an unauthenticated attempt is in the edge's log, and not in the store", async () => {
    const before = await redis.xlen(LOG);
    const headers = { authorization: "Bearer a-guess", "cf-connecting-ip": "192.0.2.77" };
    const { headers: answered } = await call("PATCH", "/admin/queues/launch", { json: { maxActive: 7 }, headers });
    const requestId = answered.get("x-request-id");
    const lineOf = async () => (await gate.logLines()).find((line) => line["requestId"] === requestId);
    await expect
      .poll(lineOf)
      .toMatchObject({ level: "warn", msg: "an operator's token was refused", address: "192.0.2.77" });
    expect([await redis.xlen(LOG), await redis.xlen(PENDING)]).toEqual([before, 0]);
  });
});

describe("an edge that dies between the two writes", () => {
  it("leaves an entry that says so", async () => {
    const intent = {
      action: "queue.change",
      queueId: "launch",
      before: { maxActive: 6 },
      after: { maxActive: 7 },
    } as const;
    await openAuditLog(STORES, { actor: "operator", requestId: "died" }).begin(intent);
    expect((await audit()).entries.find(({ requestId }) => requestId === "died")).toBeUndefined();
    const [[, fields] = []] = (await redis.xrange(PENDING, "-", "+")) as [string, string[]][];
    await redis.del(PENDING);
    const diedAt = Date.now() - 31_000;
    await redis.xadd(PENDING, `${diedAt}-0`, ...(fields ?? []));
    expect((await audit()).entries.find(({ requestId }) => requestId === "died")).toMatchObject({
      ...intent,
      at: diedAt,
      outcome: "unknown",
    });
    expect(await redis.xlen(PENDING)).toBe(0);
  });
});

describe("GET /_sluice/admin/audit", () => {
  it("gives every entry once over its pages, newest first, of one queue or of all", async () => {
    await makeQueue("paged");
    for (let index = 0; index < 12; index++) {
      await call("PATCH", `/admin/queues/${index % 3 === 0 ? "paged" : "launch"}`, {
        json: { maxActive: 100 + index },
      });
    }
    const all = await pagesOf("?limit=5");
    expect(all.length).toBe(await redis.xlen(LOG));
    expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
    const times = all.filter(({ outcome }) => outcome === "done").map(({ at }) => at);
    expect(times).toEqual(times.toSorted((a, b) => b - a));
    const ofQueue = await pagesOf("?limit=2&queueId=paged");
    expect(ofQueue.map(({ action }) => action)).toEqual([...Array<string>(4).fill("queue.change"), "queue.create"]);
  });

  async function pagesOf(query: string): Promise<readonly Entry[]> {
    const found: Entry[] = [];
    let cursor: string | null = "";
    for (let pages = 0; cursor !== null && pages < 100; pages++) {
      const page: Awaited<ReturnType<typeof audit>> = await audit(cursor === "" ? query : `${query}&cursor=${cursor}`);
      found.push(...page.entries);
      cursor = page.nextCursor;
    }
    return found;
  }

  it.each(["limit=0", "limit=201", "limit=x", "cursor=1", "cursor=x-1", "queueId=%7Bx%7D", "from=1"])(
    "refuses %s",
    async (query) => {
      expect((await call("GET", `/admin/audit?${query}`)).status).toBe(422);
    },
  );

  it("keeps a bounded number of entries of a bounded size", async () => {
    const log = openAuditLog(STORES, { actor: "operator", requestId: "long" });
    const long = {
      logo: "x".repeat(100_000),
      list: Array.from({ length: 5_000 }, (_, index) => `/${index}`),
      password: "open sesame",
    };
    await (await log.begin({ action: "queue.change", queueId: "launch", before: long, after: long })).done();
    const entry = await newest();
    expect(entry?.requestId).toBe("long");
    expect(JSON.stringify(entry).length).toBeLessThan(20_000);
    expect(JSON.stringify(entry)).not.toContain("open sesame");
    for (let index = 0; index < 12_000; index += 500) {
      await Promise.all(
        Array.from({ length: 500 }, () => redis.xadd(LOG, "*", "at", 1, "outcome", "done", "queue", "", "entry", "{}")),
      );
    }
    await (await log.begin({ action: "queue.change", queueId: "launch", before: null, after: null })).done();
    expect(await redis.xlen(LOG)).toBeLessThan(10_200);
  });
});
