import { Hono } from "hono";
import { Redis } from "ioredis";
import { afterAll, describe, expect, it } from "vitest";
import { borrowRedis } from "../../kit/borrowed-servers.ts";
import type { Database } from "../db/database.ts";
import { healthRoute } from "./health-route.ts";

const server = await borrowRedis({ fsync: "no" });
const venueRedis = new Redis(server.url);
afterAll(async () => {
  venueRedis.disconnect();
});

let pings = 0;
let isDatabaseUp = true;
const database = {
  ping: async () => {
    pings++;
    if (!isDatabaseUp) throw new Error("down");
  },
} as Database;
const DETAIL = "leader, at journal entry 7";
const trading = { health: () => [{ name: "engine", state: "ok" as const, detail: DETAIL }] };
let nowMs = 1_000;
const app = new Hono().get("/health", healthRoute({ venueRedis, database, trading, clock: { nowMs: () => nowMs } }));
const ask = async (headers: Record<string, string> = {}) => app.request("/health", { headers });

describe("GET /health of the origin", () => {
  it("asks Redis and PostgreSQL at most once a second, however often it is called", async () => {
    pings = 0;
    await Promise.all(Array.from({ length: 100 }, () => ask()));
    nowMs += 999;
    await ask();
    expect(pings).toBe(1);
    nowMs += 1;
    await ask();
    expect(pings).toBe(2);
  });

  it("checks again soon after a failure", async () => {
    nowMs += 1_000;
    isDatabaseUp = false;
    expect((await ask()).status).toBe(503);
    isDatabaseUp = true;
    nowMs += 100;
    expect((await ask()).status).toBe(200);
  });

  it("shows details to monitors that ask it directly, and not to visitors behind the gate", async () => {
    expect(await (await ask()).text()).toContain(DETAIL);
    const visitor = await (await ask({ "x-forwarded-host": "shop.test" })).text();
    expect(JSON.parse(visitor)).toMatchObject({
      status: "ok",
      parts: expect.arrayContaining([{ name: "engine", state: "ok" }]),
    });
    expect(visitor).not.toContain(DETAIL);
  });
});
