import { createHash } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { openRegistry } from "../../edge/line/registry.ts";
import { scriptRunner } from "../../origin/redis/script-runner.ts";
import { SETTINGS, startAdminGate } from "./admin-gate.ts";

const gate = await startAdminGate();
const { call, redis } = gate;
/** Any version, unless one is named. */
const WHATEVER = { "if-match": "*" };
const put = (routes: unknown, headers: Record<string, string> = WHATEVER) =>
  call("PUT", "/admin/routes", { json: { routes }, headers });

beforeAll(async () => {
  for (const queueId of ["launch", "demo"]) await call("POST", "/admin/queues", { json: { queueId, ...SETTINGS } });
});

describe("GET and PUT /_sluice/admin/routes", () => {
  it("start empty, and give back what was put", async () => {
    expect((await call("GET", "/admin/routes")).body).toEqual({ routes: [], bypass: [] });
    const routes = [
      { path: "/*", queueId: "launch" },
      { host: "*.shop.test", path: "/demo/*", queueId: "demo" },
      { host: "shop.test:8443", path: "/demo", queueId: "demo" },
    ];
    const answer = await put(routes);
    const stored = routes.map((route) => ({ host: "*", ...route }));
    expect([answer.status, answer.headers.get("cache-control"), answer.body]).toEqual([
      200,
      "no-store",
      { routes: stored, bypass: [] },
    ]);
    const read = await call("GET", "/admin/routes");
    expect([read.body, read.headers.get("etag")]).toEqual([{ routes: stored, bypass: [] }, answer.headers.get("etag")]);
    expect((await openRegistry(scriptRunner(redis)).readDirectory()).routes).toEqual(stored);
  });

  it("replace the whole table, also by nothing", async () => {
    expect((await put([{ path: "/only", queueId: "demo" }])).status).toBe(200);
    expect((await call("GET", "/admin/routes")).body["routes"]).toEqual([
      { host: "*", path: "/only", queueId: "demo" },
    ]);
    expect((await put([])).body).toEqual({ routes: [], bypass: [] });
    expect((await call("GET", "/admin/routes")).body).toEqual({ routes: [], bypass: [] });
  });

  it("keep a path in the spelling that the gate reads", async () => {
    const { body } = await put([{ path: "/caf\u00e9/%7euser/*", queueId: "demo" }]);
    expect(body["routes"]).toEqual([{ host: "*", path: "/caf%C3%A9/~user/*", queueId: "demo" }]);
  });

  it("take 1,000 routes and no more", async () => {
    const routes = Array.from({ length: 1_001 }, (_, index) => ({ path: `/p${index}/*`, queueId: "demo" }));
    const refused = await put(routes);
    expect([refused.status, refused.body["errors"]]).toEqual([422, [{ field: "routes", message: expect.any(String) }]]);
    expect((await put(routes.slice(1))).status).toBe(200);
    expect(((await call("GET", "/admin/routes")).body["routes"] as unknown[]).length).toBe(1_000);
  });

  it.each([
    [
      "a queue that is not there",
      [
        { path: "/a", queueId: "demo" },
        { path: "/b", queueId: "nowhere" },
      ],
      ["routes.1.queueId"],
    ],
    [
      "the same address twice",
      [
        { path: "/a", queueId: "demo" },
        { path: "/a", queueId: "launch" },
      ],
      ["routes.1"],
    ],
    [
      "the same address in another case",
      [
        { host: "shop.test", path: "/a/*", queueId: "demo" },
        { host: "shop.test", path: "/A/*", queueId: "demo" },
      ],
      ["routes.1"],
    ],
    [
      "the same address in another spelling",
      [
        { path: "/~a", queueId: "demo" },
        { path: "/%7Ea", queueId: "demo" },
      ],
      ["routes.1"],
    ],
    [
      "the same address in another spelling of its host",
      [
        { host: "[2001:db8::1]", path: "/a", queueId: "demo" },
        { host: "[2001:db8:0::1]", path: "/a", queueId: "demo" },
      ],
      ["routes.1"],
    ],
    ["a path that never matches", [{ path: "/a//b", queueId: "demo" }], ["routes.0.path"]],
    ["a path with a dot segment", [{ path: "/a/../b", queueId: "demo" }], ["routes.0.path"]],
    ["a path with an encoded slash", [{ path: "/a%2fb", queueId: "demo" }], ["routes.0.path"]],
    ["a star in the middle", [{ path: "/a/*/b", queueId: "demo" }], ["routes.0.path"]],
    ["a path without its slash", [{ path: "a", queueId: "demo" }], ["routes.0.path"]],
    ["a URL for a path", [{ path: "https://evil.test/", queueId: "demo" }], ["routes.0.path"]],
    ["a path past its bound", [{ path: `/${"a".repeat(2_048)}`, queueId: "demo" }], ["routes.0.path"]],
    ["a host with a scheme", [{ host: "https://shop.test", path: "/", queueId: "demo" }], ["routes.0.host"]],
    ["a star in the middle of a host", [{ host: "a.*.test", path: "/", queueId: "demo" }], ["routes.0.host"]],
    ["an empty host", [{ host: "", path: "/", queueId: "demo" }], ["routes.0.host"]],
    ["a field that is not known", [{ path: "/", queueId: "demo", priority: 1 }], ["routes.0.priority"]],
    ["no queue", [{ path: "/" }], ["routes.0.queueId"]],
    ["no list", { path: "/" }, ["routes"]],
  ])("refuse %s by its place, and keep what is there", async (_what, routes, fields) => {
    const before = await redis.get("gate:{directory}:routes");
    const answer = await put(routes);
    expect([answer.status, answer.body["code"]]).toEqual([422, "validation_failed"]);
    expect((answer.body["errors"] as { field: string }[]).map(({ field }) => field)).toEqual(fields);
    expect(await redis.get("gate:{directory}:routes")).toBe(before);
  });

  it("honour If-Match, so that no unseen version is overwritten", async () => {
    const first = await put([{ path: "/1", queueId: "demo" }]);
    const etag = first.headers.get("etag") ?? "";
    expect((await put([{ path: "/2", queueId: "demo" }], { "if-match": etag })).status).toBe(200);
    const stale = await put([{ path: "/3", queueId: "demo" }], { "if-match": etag });
    expect([stale.status, stale.body["code"]]).toEqual([409, "version_conflict"]);
    expect((await call("GET", "/admin/routes")).body["routes"]).toEqual([{ host: "*", path: "/2", queueId: "demo" }]);
  });

  it("ask for If-Match, so that a table is never replaced by mistake", async () => {
    await put([{ path: "/kept", queueId: "demo" }]);
    const before = await redis.get("gate:{directory}:routes");
    const answer = await put([{ path: "/new", queueId: "demo" }], {});
    expect([answer.status, answer.body["code"]]).toEqual([428, "precondition_required"]);
    expect(await redis.get("gate:{directory}:routes")).toBe(before);
  });

  it("let one of many win who saw the same table", async () => {
    const etag = (await call("GET", "/admin/routes")).headers.get("etag") ?? "";
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) => put([{ path: `/w${index}`, queueId: "demo" }], { "if-match": etag })),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array<number>(7).fill(409)]);
    const winner = answers.find(({ status }) => status === 200);
    expect((await call("GET", "/admin/routes")).body).toEqual(winner?.body);
  });

  it("never point at a queue that is deleted at the same time", async () => {
    for (let round = 0; round < 10; round++) {
      await call("POST", "/admin/queues", { json: { queueId: "fleeting", ...SETTINGS } });
      await put([]);
      await Promise.all([put([{ path: "/f/*", queueId: "fleeting" }]), call("DELETE", "/admin/queues/fleeting")]);
      const exists = (await call("GET", "/admin/queues/fleeting")).status === 200;
      const { routes } = (await call("GET", "/admin/routes")).body as { routes: unknown[] };
      if (!exists) expect(routes).toEqual([]);
      await call("DELETE", "/admin/queues/fleeting?force=true");
    }
  });

  it("are in the log with what came and what went", async () => {
    await put([
      { path: "/old", queueId: "demo" },
      { path: "/same", queueId: "demo" },
    ]);
    const { headers } = await put([
      { path: "/same", queueId: "demo" },
      { path: "/new", queueId: "launch" },
    ]);
    const lineOf = async () =>
      (await gate.logLines()).find((line) => line["requestId"] === headers.get("x-request-id"));
    await expect
      .poll(lineOf)
      .toMatchObject({ msg: "an operator replaced the routes", before: ["*/old -> demo"], after: ["*/new -> launch"] });
  });
});

describe("POST /_sluice/admin/routes", () => {
  const post = (route: unknown, headers: Record<string, string> = {}) =>
    call("POST", "/admin/routes", { json: route, headers });
  const routesNow = async () => (await call("GET", "/admin/routes")).body["routes"];

  it("adds one route and keeps the rest of the table", async () => {
    const bypass = [{ host: "*", path: "/kept/assets/*" }];
    await call("PUT", "/admin/routes", {
      json: { routes: [{ path: "/kept/*", queueId: "demo" }], bypass },
      headers: WHATEVER,
    });
    const answer = await post({ path: "/caf\u00e9/*", queueId: "launch" });
    const added = { host: "*", path: "/caf%C3%A9/*", queueId: "launch" };
    expect([answer.status, answer.body]).toEqual([201, added]);
    const read = await call("GET", "/admin/routes");
    expect(read.body).toEqual({ routes: [{ host: "*", path: "/kept/*", queueId: "demo" }, added], bypass });
    expect(answer.headers.get("etag")).toBe(read.headers.get("etag"));
  });

  it("changes nothing the second time, and refuses the address for another queue", async () => {
    await put([{ host: "shop.test", path: "/a/*", queueId: "demo" }]);
    const before = await redis.get("gate:{directory}:routes");
    const again = await post({ host: "shop.test", path: "/a/*", queueId: "demo" });
    expect([again.status, again.body]).toEqual([200, { host: "shop.test", path: "/a/*", queueId: "demo" }]);
    const taken = await post({ host: "shop.test", path: "/A/*", queueId: "launch" });
    expect([taken.status, taken.body["code"]]).toEqual([409, "route_exists"]);
    expect(await redis.get("gate:{directory}:routes")).toBe(before);
  });

  it("refuses a queue that is not there, a route past the bound, and a version that is not the last", async () => {
    await put([{ path: "/1", queueId: "demo" }]);
    const unknown = await post({ path: "/2", queueId: "nowhere" });
    expect([unknown.status, unknown.body["errors"]]).toEqual([
      422,
      [{ field: "queueId", message: "is not the id of a queue" }],
    ]);
    const stale = await post(
      { path: "/2", queueId: "demo" },
      { "if-match": '"0000000000000000000000000000000000000000"' },
    );
    expect([stale.status, stale.body["code"]]).toEqual([409, "version_conflict"]);
    await put(Array.from({ length: 1_000 }, (_, index) => ({ path: `/p${index}/*`, queueId: "demo" })));
    const full = await post({ path: "/2", queueId: "demo" });
    expect([full.status, full.body["code"]]).toEqual([409, "route_limit_reached"]);
  });

  it("loses none of many that are added at once", async () => {
    await put([]);
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) => post({ path: `/w${index}`, queueId: "demo" })),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array<number>(8).fill(201));
    expect((await routesNow()) as unknown[]).toHaveLength(8);
  });

  it("is in the audit log with the route that came", async () => {
    await put([]);
    await post({ path: "/told/*", queueId: "demo" });
    const [entry] = (await call("GET", "/admin/audit?limit=1")).body["entries"] as object[];
    expect(entry).toMatchObject({ action: "routes.add", outcome: "done", before: [], after: ["*/told/* -> demo"] });
  });
});

describe("DELETE /_sluice/admin/routes", () => {
  const remove = (query: Record<string, string>, headers: Record<string, string> = {}) =>
    call("DELETE", `/admin/routes?${new URLSearchParams(query)}`, { headers });

  it("removes one route, named by host and path, and keeps the rest of the table", async () => {
    const bypass = [{ host: "*", path: "/a/assets/*" }];
    const routes = [
      { host: "*", path: "/a/*", queueId: "demo" },
      { host: "shop.test", path: "/a/*", queueId: "launch" },
      { host: "*", path: "/a/b", queueId: "demo" },
    ];
    await call("PUT", "/admin/routes", { json: { routes, bypass }, headers: WHATEVER });
    const answer = await remove({ path: "/A/*" });
    expect([answer.status, answer.text]).toEqual([204, ""]);
    const read = await call("GET", "/admin/routes");
    expect(read.body).toEqual({ routes: routes.slice(1), bypass });
    expect(answer.headers.get("etag")).toBe(read.headers.get("etag"));
    expect((await remove({ host: "shop.test", path: "/a/*" })).status).toBe(204);
    expect((await call("GET", "/admin/routes")).body["routes"]).toEqual(routes.slice(2));
    const [entry] = (await call("GET", "/admin/audit?limit=1")).body["entries"] as object[];
    expect(entry).toMatchObject({
      action: "routes.remove",
      outcome: "done",
      before: ["shop.test/a/* -> launch"],
      after: [],
    });
  });

  it("answers 404 for a route that is not there, 422 without a path, 409 for another version, and changes nothing", async () => {
    await put([{ path: "/a/*", queueId: "demo" }]);
    const before = await redis.get("gate:{directory}:routes");
    const missing = await remove({ host: "shop.test", path: "/a/*" });
    expect([missing.status, missing.body["code"]]).toEqual([404, "route_not_found"]);
    expect((await remove({})).status).toBe(422);
    expect((await remove({ path: "/a/*" }, { "if-match": '"x"' })).status).toBe(409);
    expect(await redis.get("gate:{directory}:routes")).toBe(before);
  });
});

describe("bypass rules in PUT /_sluice/admin/routes", () => {
  const putBypass = (bypass: unknown) =>
    call("PUT", "/admin/routes", { json: { routes: [{ path: "/a/*", queueId: "demo" }], bypass }, headers: WHATEVER });
  const secret = "s3cret-of-the-probes";

  it("are returned with only the digest of the secret, which can be written again", async () => {
    const rules = [
      { path: "/a/caf\u00e9/*", note: "pictures" },
      { host: "shop.test", cidrs: ["10.0.0.0/8", "2001:db8::/32", "192.0.2.7"] },
      { path: "/a/health", header: { name: "X-Probe-Key", secret } },
      { header: { secret } },
    ];
    const answer = await putBypass(rules);
    const secretSha256 = createHash("sha256").update(secret).digest("hex");
    const stored = [
      { host: "*", path: "/a/caf%C3%A9/*", note: "pictures" },
      { host: "shop.test", cidrs: ["10.0.0.0/8", "2001:db8::/32", "192.0.2.7"] },
      { host: "*", path: "/a/health", header: { name: "x-probe-key", secretSha256 } },
      { host: "*", header: { name: "x-sluice-bypass", secretSha256 } },
    ];
    expect([answer.status, answer.body["bypass"]]).toEqual([200, stored]);
    expect((await putBypass(stored)).body["bypass"]).toEqual(stored);
    expect((await call("GET", "/admin/routes")).body["bypass"]).toEqual(stored);
    expect(await redis.get("gate:{directory}:routes")).not.toContain(secret);
    const lines = await gate.logLines();
    expect(JSON.stringify(lines)).toContain("*/a/health -> past the queues with x-probe-key");
    expect(JSON.stringify(lines)).not.toContain(secret);
  });

  it("stay when a queue is deleted with its routes, and go when the table is put without them", async () => {
    await putBypass([{ path: "/a/b" }]);
    await call("POST", "/admin/queues", { json: { queueId: "brief", ...SETTINGS } });
    const { routes, bypass } = (await call("GET", "/admin/routes")).body as { routes: object[]; bypass: object[] };
    await call("PUT", "/admin/routes", {
      json: { routes: [...routes, { path: "/brief/*", queueId: "brief" }], bypass },
      headers: WHATEVER,
    });
    await call("DELETE", "/admin/queues/brief?force=true");
    expect((await call("GET", "/admin/routes")).body).toEqual({ routes, bypass });
    await put(routes);
    expect((await call("GET", "/admin/routes")).body).toEqual({ routes, bypass: [] });
  });

  it.each([
    ["a rule without a condition", {}, "bypass.0"],
    ["a rule that matches every request", { path: "/*" }, "bypass.0.path"],
    ["a host alone", { host: "status.test" }, "bypass.0"],
    ["a star that is no folder", { path: "/assets*" }, "bypass.0.path"],
    ["a path with a dot segment", { path: "/a/../b" }, "bypass.0.path"],
    ["an encoded slash", { path: "/a%2fb" }, "bypass.0.path"],
    ["an encoded semicolon", { path: "/a%3bb" }, "bypass.0.path"],
    ["a second escape", { path: "/a%2541" }, "bypass.0.path"],
    ["letters that have a second form", { path: "/\uff41" }, "bypass.0.path"],
    ["a network that is everything", { cidrs: ["0.0.0.0/0"] }, "bypass.0.cidrs.0"],
    ["bits behind the prefix", { cidrs: ["10.0.0.1/8"] }, "bypass.0.cidrs.0"],
    ["a name for a network", { cidrs: ["localhost"] }, "bypass.0.cidrs.0"],
    ["no network", { cidrs: [] }, "bypass.0.cidrs"],
    ["101 networks", { cidrs: Array.from({ length: 101 }, (_, index) => `10.0.0.${index}`) }, "bypass.0.cidrs"],
    ["a short secret", { header: { secret: "short" } }, "bypass.0.header.secret"],
    ["a secret with a space", { header: { secret: "sixteen letters and" } }, "bypass.0.header.secret"],
    ["no secret", { header: { name: "x-key" } }, "bypass.0.header.secret"],
    ["a digest that is none", { header: { secretSha256: "abc" } }, "bypass.0.header.secretSha256"],
    ["a header of the standards", { header: { name: "cookie", secret } }, "bypass.0.header.name"],
    ["a header that the proxy guards", { header: { name: "x-forwarded-for", secret } }, "bypass.0.header.name"],
    ["another header of ours", { header: { name: "x-sluice-pass", secret } }, "bypass.0.header.name"],
    ["a field that is not known", { path: "/a", queueId: "demo" }, "bypass.0.queueId"],
  ])("refuse %s by its place, without repeating it, and keep what is there", async (_what, rule, field) => {
    const before = await redis.get("gate:{directory}:routes");
    const answer = await putBypass([rule]);
    expect([answer.status, answer.body["code"]]).toEqual([422, "validation_failed"]);
    expect((answer.body["errors"] as { field: string }[]).map((error) => error.field)).toEqual([field]);
    expect(answer.text).not.toContain(secret);
    expect(await redis.get("gate:{directory}:routes")).toBe(before);
  });
});
