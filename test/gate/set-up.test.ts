// @module-tag timing: a change by an operator is in force at every edge within 2 s.
import { beforeEach, describe, expect, it } from "vitest";
import { newSecret, systemRandom } from "../../shared/ids.ts";
import { startGateStack } from "./gate-stack.ts";
import { createVisitor, JSON_PLEASE, type Seen, until, type Visitor } from "./visitor.ts";

/** Routes and queues at several edges: how a change spreads, and what is left when the store has lost everything. */
const token = newSecret(systemRandom);
const stack = await startGateStack({ edgeCount: 2, variables: { SLUICE_ADMIN_TOKEN: token } });
const { origin, redis } = stack;
const [here, there] = stack.edges.map(({ url }) => url) as [string, string];

beforeEach(() => origin.reset());

const cookieOf = (visitor: Visitor) => [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
const outcomeOf = (seen: Seen) => seen.json["url"] ?? seen.json["state"] ?? seen.json["code"];
const visit = async (url: string, path: string, headers: Readonly<Record<string, string>> = {}) =>
  outcomeOf(await createVisitor(url).get(path, { ...JSON_PLEASE, ...headers }));

async function operate(method: string, path: string, json?: unknown): Promise<void> {
  const headers = {
    authorization: `Bearer ${token}`,
    "content-type": "application/json",
    ...(method === "PUT" && { "if-match": "*" }),
  };
  const body = json === undefined ? {} : { body: JSON.stringify(json) };
  const response = await fetch(`${here}/_sluice/admin${path}`, { method, headers, ...body });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
}

const queue = (queueId: string, settings: object = {}) => ({
  queueId,
  name: queueId,
  maxActive: 100,
  admissionRate: 100,
  admissionBurst: 100,
  ...settings,
});
const ROUTES = { routes: [{ path: "/hall/*", queueId: "hall" }] };

/** Two seconds, and what a busy machine takes to ask. */
const TAKEN_OVER_MS_MAX = 3_000;

/** Busy as a real one: an edge reads again while it is asked. */
const takenOverWithin = (condition: () => Promise<boolean>) => until(condition, { withinMs: 10_000 });

describe("a gate without routes", () => {
  it("forwards nothing, and says so; its operators can set it up", async () => {
    expect([await visit(here, "/hall/x"), await visit(there, "/free")]).toEqual([
      "store_unavailable",
      "store_unavailable",
    ]);
    expect(origin.requests).toEqual([]);
    await operate("POST", "/queues", queue("hall"));
    expect(await visit(here, "/free")).toBe("store_unavailable");
    const entered = await createVisitor(here).send("POST", "/_sluice/queues/hall/enter");
    expect([entered.status, entered.json["state"]]).toEqual([200, "admitted"]);
    await operate("PUT", "/routes", ROUTES);
    await takenOverWithin(async () => (await visit(there, "/free")) === "/free");
    expect([await visit(here, "/free"), await visit(there, "/hall/x")]).toEqual(["/free", "/hall/x"]);
  });
});

describe("an operator's change at one edge", () => {
  it("is in force at the other within 2 s: a setting, a route, a deleted queue", async () => {
    await Promise.all([visit(here, "/hall/"), visit(there, "/hall/")]);
    await operate("PATCH", "/queues/hall", { mode: "maintenance" });
    expect(await visit(here, "/hall/x")).toBe("queue_maintenance");
    expect(await takenOverWithin(async () => (await visit(there, "/hall/x")) === "queue_maintenance")).toBeLessThan(
      TAKEN_OVER_MS_MAX,
    );
    await operate("POST", "/queues", queue("gone", { mode: "maintenance" }));
    await operate("PUT", "/routes", { routes: [...ROUTES.routes, { path: "/gone/*", queueId: "gone" }] });
    expect(await takenOverWithin(async () => (await visit(there, "/gone/x")) === "queue_maintenance")).toBeLessThan(
      TAKEN_OVER_MS_MAX,
    );
    await operate("DELETE", "/queues/gone?force=true");
    expect(await takenOverWithin(async () => (await visit(there, "/gone/x")) === "/gone/x")).toBeLessThan(
      TAKEN_OVER_MS_MAX,
    );
    await operate("PATCH", "/queues/hall", { mode: "active" });
    await takenOverWithin(async () => (await visit(there, "/hall/x")) === "/hall/x");
  });
});

describe("a store that has lost everything", () => {
  it("opens no protected address: passes stay valid, newcomers wait for the operators, and an operator's empty table counts", async () => {
    const inside = createVisitor(here);
    await inside.get("/hall/");
    const cookie = cookieOf(inside);
    expect(cookie).toContain("sluice-pass-hall=");
    await Promise.all([visit(here, "/hall/"), visit(there, "/hall/")]);
    await redis.flushall();
    origin.reset();
    const cold = await stack.startEdge({ variables: { SLUICE_ADMIN_TOKEN: token } });
    // For longer than anything that an edge knows counts as fresh.
    const endsAt = performance.now() + 2_500;
    while (performance.now() < endsAt) {
      for (const url of [here, there]) {
        expect([await visit(url, "/hall/new"), await visit(url, "/hall/in", { cookie })]).toEqual([
          "queue_unavailable",
          "/hall/in",
        ]);
        expect(await visit(url, "/free")).toBe("/free");
      }
      expect([await visit(cold.url, "/hall/new"), await visit(cold.url, "/hall/in", { cookie })]).toEqual([
        "store_unavailable",
        "/hall/in",
      ]);
      expect(await visit(cold.url, "/free")).toBe("store_unavailable");
    }
    expect(origin.requests.filter(({ url }) => url === "/hall/new")).toEqual([]);

    // Only the queue, without a table: protected addresses stay protected, and visitors are admitted again.
    await operate("POST", "/queues", queue("hall"));
    await takenOverWithin(async () => (await visit(there, "/hall/again")) === "/hall/again");
    expect(await visit(cold.url, "/hall/again")).toBe("store_unavailable");
    await operate("PUT", "/routes", ROUTES);
    await takenOverWithin(async () => (await visit(cold.url, "/hall/again")) === "/hall/again");
    expect(await visit(cold.url, "/free")).toBe("/free");

    // An empty table that an operator wrote is not the same as none.
    await operate("PATCH", "/queues/hall", { mode: "maintenance" });
    await takenOverWithin(async () => (await visit(there, "/hall/new")) === "queue_maintenance");
    await operate("PUT", "/routes", { routes: [] });
    for (const url of [here, there, cold.url])
      await takenOverWithin(async () => (await visit(url, "/hall/new")) === "/hall/new");
  });
});
