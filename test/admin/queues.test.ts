import { describe, expect, it } from "vitest";
import { newSessionId, SETTINGS, startAdminGate } from "./admin-gate.ts";

const gate = await startAdminGate();
const { call, redis } = gate;

async function makeQueue(queueId: string, settings: object = {}): Promise<void> {
  expect((await call("POST", "/admin/queues", { json: { queueId, ...SETTINGS, ...settings } })).status).toBe(201);
}

const DEFAULTS = {
  order: "fifo",
  prequeueOpensAt: null,
  opensAt: null,
  closesAt: null,
  eventOverrides: null,
  maxQueueSize: 1_000_000,
  admissionBurst: 3,
  mode: "active",
  sessionTtlSeconds: 3_600,
  sessionRenewal: true,
  idleSeconds: 0,
  banSeconds: 0,
  sameSite: "lax",
  claimSeconds: 20,
  heartbeatTtlSeconds: 60,
  returnGraceSeconds: 1_800,
  ticketsPerIp: 0,
  proofOfWork: 0,
  onStoreFailure: "closed",
  revocationCheck: "fast",
  waitingStatus: 200,
  message: "",
  language: "en",
  template: null,
  targetUrl: null,
};
const EMPTY = { waiting: 0, active: 0, admissionsPerSecond: 0 };

describe("POST /_sluice/admin/queues", () => {
  it("makes a queue with defaults, says where it is, and reads back as it was made", async () => {
    const made = await call("POST", "/admin/queues", { json: { queueId: "launch", ...SETTINGS } });
    expect(made.status).toBe(201);
    expect(made.headers.get("location")).toBe("/_sluice/admin/queues/launch");
    expect(made.headers.get("etag")).toBe('"1"');
    expect(made.headers.get("cache-control")).toBe("no-store");
    expect(made.body).toEqual({ queueId: "launch", ...SETTINGS, ...DEFAULTS, ...EMPTY, version: 1 });
    const read = await call("GET", "/admin/queues/launch");
    expect([read.status, read.headers.get("etag"), read.headers.get("cache-control")]).toEqual([
      200,
      '"1"',
      "no-store",
    ]);
    expect(read.body).toEqual(made.body);
  });

  it("takes an upstream on the public internet, as URL parsers write it, and lets it go again", async () => {
    await makeQueue("elsewhere", { targetUrl: "HTTPS://Shop.Example:443/" });
    expect((await call("GET", "/admin/queues/elsewhere")).body["targetUrl"]).toBe("https://shop.example");
    expect((await call("PATCH", "/admin/queues/elsewhere", { json: { maxActive: 9 } })).body["targetUrl"]).toBe(
      "https://shop.example",
    );
    expect(
      (await call("PATCH", "/admin/queues/elsewhere", { json: { targetUrl: null } })).body["targetUrl"],
    ).toBeNull();
    expect((await call("GET", "/admin/queues/elsewhere")).body["targetUrl"]).toBeNull();
  });

  it("does not change an existing queue", async () => {
    await makeQueue("taken", { maxActive: 7 });
    const again = await call("POST", "/admin/queues", { json: { queueId: "taken", ...SETTINGS } });
    expect([again.status, again.body["code"]]).toEqual([409, "queue_exists"]);
    expect((await call("GET", "/admin/queues/taken")).body).toMatchObject({ maxActive: 7, version: 1 });
  });

  it("lets one of many at once make it", async () => {
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        call("POST", "/admin/queues", { json: { queueId: "raced", ...SETTINGS, maxActive: index + 1 } }),
      ),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, ...Array<number>(11).fill(409)]);
    const winner = answers.find(({ status }) => status === 201);
    expect((await call("GET", "/admin/queues/raced")).body).toEqual(winner?.body);
  });

  it("makes as many as there may be and no more", async () => {
    const many = Array.from({ length: 1_000 }, (_, index) => `filler-${index}`);
    await redis.sadd("gate:{directory}:queues", ...many);
    const refused = await call("POST", "/admin/queues", { json: { queueId: "one-more", ...SETTINGS } });
    expect([refused.status, refused.body["code"]]).toEqual([409, "queue_limit_reached"]);
    expect(await redis.exists("queue:{one-more}:meta")).toBe(0);
    await redis.srem("gate:{directory}:queues", ...many);
  });
});

describe("GET /_sluice/admin/queues", () => {
  it("lists every queue once, by id, with its counts", async () => {
    await makeQueue("list-b");
    await makeQueue("list-a", { mode: "paused" });
    await redis.zadd("queue:{list-a}:waiting", 1, "w1", 2, "w2");
    await redis.zadd("queue:{list-a}:active", Date.now() + 60_000, "a1", 1, "lapsed");
    await redis.hset("queue:{list-a}:bucket", "rate", "2.5");
    const { status, body } = await call("GET", "/admin/queues");
    expect(status).toBe(200);
    const ids = (body["queues"] as { queueId: string }[]).map(({ queueId }) => queueId);
    expect(ids).toEqual(ids.toSorted());
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toEqual(expect.arrayContaining(["list-a", "list-b"]));
    const listed = (body["queues"] as { queueId: string }[]).find(({ queueId }) => queueId === "list-a");
    expect(listed).toMatchObject({ mode: "paused", waiting: 2, active: 1, admissionsPerSecond: 2.5, version: 1 });
    expect((await call("GET", "/admin/queues/list-a")).body).toEqual(listed);
  });

  it("drops silent visitors from the counts after one reading, even without any polls", async () => {
    const [queueId, dead, alive] = ["ghosts", newSessionId(), newSessionId()];
    await call("POST", "/admin/queues", { json: { queueId, ...SETTINGS, mode: "paused" } });
    const stand = async () => {
      await redis.del(`queue:{${queueId}}:waiting`, `queue:{${queueId}}:beats`);
      await redis.zadd(`queue:{${queueId}}:waiting`, 1, dead, 2, alive);
      await redis.zadd(`queue:{${queueId}}:beats`, Date.now() - 61_000, dead, Date.now() + 600_000, alive);
    };
    const listed = async () => {
      const { queues } = (await call("GET", "/admin/queues")).body as { queues: Record<string, unknown>[] };
      return queues.find((queue) => queue["queueId"] === queueId)?.["waiting"];
    };
    const read = async () => (await call("GET", `/admin/queues/${queueId}`)).body["waiting"];
    const told = async () => (await call("GET", `/queues/${queueId}`)).body["waiting"];
    for (const look of [listed, read, told]) {
      await stand();
      await expect.poll(look).toBe(1);
      expect(await redis.zrange(`queue:{${queueId}}:waiting`, 0, "-1")).toEqual([alive]);
    }
  });

  it("leaves out a name whose queue is not there", async () => {
    await redis.sadd("gate:{directory}:queues", "half-made");
    const { body } = await call("GET", "/admin/queues");
    expect(body["queues"]).not.toContainEqual(expect.objectContaining({ queueId: "half-made" }));
  });
});

describe("PATCH /_sluice/admin/queues/{id}", () => {
  it("changes what it names and nothing else", async () => {
    await makeQueue("patched", { mode: "paused", sessionTtlSeconds: 100, sessionRenewal: false });
    const { status, headers, body } = await call("PATCH", "/admin/queues/patched", { json: { maxActive: 2 } });
    expect([status, headers.get("etag")]).toEqual([200, '"2"']);
    const expected = {
      ...SETTINGS,
      ...DEFAULTS,
      mode: "paused",
      sessionTtlSeconds: 100,
      sessionRenewal: false,
      maxActive: 2,
    };
    expect(body).toEqual({ queueId: "patched", ...expected, ...EMPTY, version: 2 });
    expect((await call("GET", "/admin/queues/patched")).body).toEqual(body);
  });

  it("ends no session when a limit is lowered", async () => {
    await makeQueue("shrunk");
    for (const id of ["s1", "s2", "s3"]) await redis.zadd("queue:{shrunk}:active", Date.now() + 60_000, id);
    const { body } = await call("PATCH", "/admin/queues/shrunk", { json: { maxActive: 1, maxQueueSize: 0 } });
    expect(body).toMatchObject({ maxActive: 1, active: 3 });
    expect(await redis.zcard("queue:{shrunk}:active")).toBe(3);
  });

  it("honours If-Match", async () => {
    await makeQueue("matched");
    const patch = (ifMatch: string) =>
      call("PATCH", "/admin/queues/matched", { json: { maxActive: 9 }, headers: { "if-match": ifMatch } });
    for (const stale of ['"7"', 'W/"1"', "1", '"0", "2"']) {
      const refused = await patch(stale);
      expect([refused.status, refused.body["code"]]).toEqual([409, "version_conflict"]);
    }
    expect((await call("GET", "/admin/queues/matched")).body["version"]).toBe(1);
    expect((await patch('"1"')).body["version"]).toBe(2);
    expect((await patch('"1"')).status).toBe(409);
    expect((await patch("*")).body["version"]).toBe(3);
    expect((await patch('"1", "3"')).body["version"]).toBe(4);
  });

  it("loses none of many changes at once: each that was answered with 200 is there", async () => {
    // A second try starts again.
    await call("DELETE", "/admin/queues/contended?force=true");
    await makeQueue("contended");
    const names = [
      "maxActive",
      "maxQueueSize",
      "sessionTtlSeconds",
      "claimSeconds",
      "heartbeatTtlSeconds",
      "returnGraceSeconds",
      "ticketsPerIp",
    ];
    const tries = names.flatMap((name) => [11, 12, 13].map((value) => ({ name, value })));
    const answers = await Promise.all(
      tries.map(async ({ name, value }) => ({
        name,
        value,
        answer: await call("PATCH", "/admin/queues/contended", { json: { [name]: value } }),
      })),
    );
    const versionOf = ({ answer }: (typeof answers)[number]) => Number(answer.body["version"]);
    const made = answers.filter(({ answer }) => answer.status === 200);
    // 503: on a busy machine the tries took longer than an operator is kept waiting.
    for (const { answer } of answers) expect([200, 409, 503]).toContain(answer.status);
    expect(made.length).toBeGreaterThanOrEqual(2);
    const inOrder = made.toSorted((a, b) => versionOf(a) - versionOf(b));
    expect(inOrder.map(versionOf)).toEqual(inOrder.map((_, index) => index + 2));
    const last = new Map(inOrder.map(({ name, value }) => [name, value]));
    const { body } = await call("GET", "/admin/queues/contended");
    expect(body["version"]).toBe(made.length + 1);
    for (const [name, value] of last) expect(body[name]).toBe(value);
  });

  it("tries again by itself, so that two at once are both made", async () => {
    await makeQueue("paired");
    const answers = await Promise.all([
      call("PATCH", "/admin/queues/paired", { json: { maxActive: 50 } }),
      call("PATCH", "/admin/queues/paired", { json: { name: "Renamed" } }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect((await call("GET", "/admin/queues/paired")).body).toMatchObject({
      maxActive: 50,
      name: "Renamed",
      version: 3,
    });
  });

  it("does not make a queue", async () => {
    const { status, body } = await call("PATCH", "/admin/queues/nowhere", { json: { maxActive: 5 } });
    expect([status, body["code"]]).toEqual([404, "queue_not_found"]);
    expect(await redis.exists("queue:{nowhere}:meta")).toBe(0);
    expect(await redis.sismember("gate:{directory}:queues", "nowhere")).toBe(0);
  });

  it("is in force at once on the edge that was asked", async () => {
    await makeQueue("at-once");
    expect((await call("GET", "/queues/at-once")).body["mode"]).toBe("active");
    await call("PATCH", "/admin/queues/at-once", { json: { mode: "paused" } });
    expect((await call("GET", "/queues/at-once")).body["mode"]).toBe("paused");
    await call("DELETE", "/admin/queues/at-once");
    expect((await call("GET", "/queues/at-once")).status).toBe(404);
  });

  it("is in the log with actor, action, before and after", async () => {
    await makeQueue("logged");
    const { headers } = await call("PATCH", "/admin/queues/logged", {
      json: { maxActive: 6 },
      headers: { "cf-connecting-ip": "192.0.2.9" },
    });
    const requestId = headers.get("x-request-id");
    const lineOf = async () => (await gate.logLines()).find((line) => line["requestId"] === requestId);
    await expect.poll(lineOf).toMatchObject({
      level: "info",
      msg: "an operator changed a queue",
      address: "192.0.2.9",
      queueId: "logged",
      actor: "operator",
      before: { maxActive: 5 },
      after: { maxActive: 6 },
    });
  });
});

describe("DELETE /_sluice/admin/queues/{id}", () => {
  it("removes an empty queue, and what is gone is not there", async () => {
    await makeQueue("emptied");
    await redis.zadd("queue:{emptied}:active", 1, "lapsed-long-ago");
    expect((await call("DELETE", "/admin/queues/emptied")).status).toBe(204);
    expect((await call("GET", "/admin/queues/emptied")).body["code"]).toBe("queue_not_found");
    expect((await call("DELETE", "/admin/queues/emptied")).status).toBe(404);
    expect(await redis.keys("queue:{emptied}:*")).toEqual([]);
  });

  it.each([
    ["waits", "waiting", 1],
    ["is inside", "active", Date.now() + 60_000],
  ])("removes a queue with a visitor who %s only when forced", async (_what, key, score) => {
    const queueId = `busy-${key}`;
    await makeQueue(queueId);
    await redis.zadd(`queue:{${queueId}}:${key}`, score, newSessionId());
    for (const query of ["", "?force=false"]) {
      const refused = await call("DELETE", `/admin/queues/${queueId}${query}`);
      expect([refused.status, refused.body["code"]]).toEqual([409, "queue_occupied"]);
    }
    expect(await redis.zcard(`queue:{${queueId}}:${key}`)).toBe(1);
    expect((await call("DELETE", `/admin/queues/${queueId}?force=true`)).status).toBe(204);
    expect(await redis.keys(`queue:{${queueId}}:*`)).toEqual([]);
  });

  it("removes a queue that routes lead to only when forced, and then its routes and no others", async () => {
    await makeQueue("routed");
    await makeQueue("neighbour");
    const kept = { host: "*", path: "/b/*", queueId: "neighbour" };
    const routes = [
      { host: "*", path: "/a/*", queueId: "routed" },
      kept,
      { host: "shop.test", path: "/", queueId: "routed" },
    ];
    expect((await call("PUT", "/admin/routes", { json: { routes }, headers: { "if-match": "*" } })).status).toBe(200);
    const refused = await call("DELETE", "/admin/queues/routed");
    expect([refused.status, refused.body["code"]]).toEqual([409, "queue_routed"]);
    expect((await call("GET", "/admin/queues/routed")).status).toBe(200);
    expect((await call("DELETE", "/admin/queues/routed?force=true")).status).toBe(204);
    expect((await call("GET", "/admin/routes")).body).toMatchObject({ routes: [kept] });
  });

  it("finishes what an earlier attempt left half done", async () => {
    await makeQueue("half-deleted");
    const routes = [{ path: "/half/*", queueId: "half-deleted" }];
    await call("PUT", "/admin/routes", { json: { routes }, headers: { "if-match": "*" } });
    await redis.del("queue:{half-deleted}:meta");
    expect((await call("DELETE", "/admin/queues/half-deleted?force=true")).status).toBe(404);
    expect((await call("GET", "/admin/routes")).body).toMatchObject({ routes: [] });
    expect(await redis.sismember("gate:{directory}:queues", "half-deleted")).toBe(0);
  });

  it("keeps a queue listed that is created again while its namesake is deleted", async () => {
    for (let round = 0; round < 10; round++) {
      await makeQueue("phoenix");
      await Promise.all([
        call("DELETE", "/admin/queues/phoenix"),
        call("POST", "/admin/queues", { json: { queueId: "phoenix", ...SETTINGS } }),
      ]);
      const exists = (await call("GET", "/admin/queues/phoenix")).status === 200;
      const { queues } = (await call("GET", "/admin/queues")).body as { queues: { queueId: string }[] };
      expect(queues.some(({ queueId }) => queueId === "phoenix")).toBe(exists);
      await call("DELETE", "/admin/queues/phoenix");
    }
  });
});

describe("an event's settings", () => {
  const opensAt = Date.now() + 600_000;
  const planned = { prequeueOpensAt: opensAt - 300_000, opensAt, closesAt: opensAt + 300_000 };
  const fieldsOf = ({ body }: { readonly body: Readonly<Record<string, unknown>> }) =>
    ((body["errors"] ?? []) as readonly { readonly field: string }[]).map(({ field }) => field);

  it("are changed like the others, and given back as they are", async () => {
    await call("POST", "/admin/queues", { json: { queueId: "event", ...SETTINGS } });
    const eventOverrides = { maxActive: 50, admissionRate: 0.5, admissionBurst: 2, sessionTtlSeconds: 60 };
    const event = { ...planned, order: "lottery", eventOverrides };
    const { status, body } = await call("PATCH", "/admin/queues/event", { json: event });
    expect([status, body]).toEqual([200, expect.objectContaining({ ...SETTINGS, ...event })]);
    expect((await call("GET", "/admin/queues/event")).body).toMatchObject(event);
    const some = { eventOverrides: { maxActive: 7 } };
    expect((await call("PATCH", "/admin/queues/event", { json: some })).body).toMatchObject(some);
    expect((await call("GET", "/admin/queues/event")).body["eventOverrides"]).toEqual({ maxActive: 7 });
    const none = { prequeueOpensAt: null, opensAt: null, closesAt: null, order: "fifo", eventOverrides: null };
    expect((await call("PATCH", "/admin/queues/event", { json: none })).status).toBe(200);
    expect((await call("GET", "/admin/queues/event")).body).toMatchObject(none);
  });

  it.each([
    ["prequeueOpensAt", { prequeueOpensAt: opensAt }],
    ["prequeueOpensAt", { ...planned, prequeueOpensAt: opensAt }],
    ["prequeueOpensAt", { ...planned, prequeueOpensAt: opensAt - 86_400_001 }],
    ["closesAt", { ...planned, closesAt: opensAt }],
    ["opensAt", { opensAt: Math.floor(opensAt / 1000) }],
    ["opensAt", { opensAt: "2026-12-01" }],
    ["opensAt", { opensAt: opensAt + 0.5 }],
    ["order", { order: "lottery", opensAt }],
    ["order", { ...planned, order: "shuffled" }],
    ["eventOverrides", { eventOverrides: { maxActive: 5 } }],
    ["eventOverrides", { ...planned, eventOverrides: {} }],
    ["eventOverrides.maxActive", { ...planned, eventOverrides: { maxActive: 0 } }],
    ["eventOverrides.colour", { ...planned, eventOverrides: { maxActive: 5, colour: 1 } }],
  ])("are refused with the name of what is wrong: %s (%#)", async (field, json) => {
    const made = await call("POST", "/admin/queues", { json: { queueId: "refused-event", ...SETTINGS, ...json } });
    expect([made.status, fieldsOf(made)]).toEqual([422, [field]]);
    expect(await redis.exists("queue:{refused-event}:meta")).toBe(0);
  });

  it("never tell an operator the seed, and fix the draw once people can take a place in it", async () => {
    await call("POST", "/admin/queues", { json: { queueId: "drawn", ...SETTINGS, ...planned, order: "lottery" } });
    const seedOf = async () =>
      (JSON.parse(String(await redis.hget("queue:{drawn}:meta", "draws"))) as { seed: string }[])[0]?.seed;
    const seed = await seedOf();
    expect(seed).toMatch(/^[\w-]{43}$/);
    const listed = [
      await call("GET", "/admin/queues"),
      await call("GET", "/admin/queues/drawn"),
      await call("GET", "/admin/audit"),
    ];
    for (const { text } of listed) expect(text).not.toContain(seed);

    const change = (json: object) => call("PATCH", "/admin/queues/drawn", { json });
    const begunAt = Date.now() - 1_000;
    expect((await change({ prequeueOpensAt: begunAt, order: "random" })).status).toBe(200);
    expect(await seedOf()).toBe(seed);
    expect(fieldsOf(await change({ order: "fifo" }))).toEqual(["order"]);
    expect(fieldsOf(await change({ order: "lottery" }))).toEqual(["order"]);
    expect(fieldsOf(await change({ prequeueOpensAt: begunAt + 60_000 }))).toEqual(["prequeueOpensAt"]);
    expect((await change({ opensAt: opensAt + 60_000, closesAt: null, maxActive: 9 })).status).toBe(200);
    expect((await change({ opensAt: Date.now() - 1 })).status).toBe(200);
    expect(await seedOf()).toBe(seed);
    // Its seed is public by now: whatever opens later is another draw.
    expect((await change({ opensAt: opensAt + 60_000 })).status).toBe(200);
    expect(await seedOf()).not.toBe(seed);
  });
});

describe("GET /_sluice/admin/queues/{queueId}/preview", () => {
  it("shows a visitor's page in any state and language with the queue's template, without its script", async () => {
    await makeQueue("branded", {
      language: "id",
      template: { title: "{{queueName}} & {{position}}", colours: { light: { accent: "#7a1fa2" } } },
    });
    const own = await call("GET", "/admin/queues/branded/preview");
    expect([own.status, own.headers.get("content-type"), own.headers.get("content-language")]).toEqual([
      200,
      "text/html; charset=utf-8",
      "id",
    ]);
    expect(own.text).toContain("<h1>Launch &amp; 1.204</h1>");
    expect(own.text).toContain("--accent:#7a1fa2");
    expect(own.text).not.toMatch(/<script|http-equiv/);
    const opensAt = Date.now() + 90 * 60_000;
    await makeQueue("planned", { opensAt, prequeueOpensAt: opensAt - 60_000, order: "lottery" });
    const planned = await call("GET", "/admin/queues/planned/preview?state=prequeue");
    expect(planned.text).toMatch(/id="position">01:(30:00|29:\d\d)</);
    expect(planned.text).toContain("gets a place by lot");
    const full = await call("GET", "/admin/queues/branded/preview?state=full&lang=fa");
    expect(full.text).toContain('dir="rtl" data-state="full"');
    for (const [query, status] of [
      ["state=open", 422],
      ["lang=sv", 422],
      ["colour=red", 422],
    ] as const) {
      expect((await call("GET", `/admin/queues/branded/preview?${query}`)).status).toBe(status);
    }
    expect((await call("GET", "/admin/queues/nowhere/preview")).body["code"]).toBe("queue_not_found");
  });

  it("takes no template that is more than texts, colours and a picture", async () => {
    await makeQueue("plain-words");
    for (const template of [
      { html: "<b>" },
      { title: "{{secret}}" },
      { colours: { light: { accent: "red;}" } } },
      { logo: "https://x.test/a.png" },
    ]) {
      const refused = await call("PATCH", "/admin/queues/plain-words", { json: { template } });
      expect([refused.status, refused.body["code"]]).toEqual([422, "validation_failed"]);
    }
    expect((await call("PATCH", "/admin/queues/plain-words", { json: { template: {} } })).status).toBe(200);
    expect(
      (await call("PATCH", "/admin/queues/plain-words", { json: { template: null } })).body["template"],
    ).toBeNull();
  });
});
