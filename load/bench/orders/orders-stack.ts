import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Redis } from "ioredis";
import { z } from "zod";
import { askControl } from "../../origin/control/ask-control.ts";
import { freePort } from "../../origin/stack/free-port.ts";
import { startRedisServer } from "../../origin/stack/redis-server.ts";
import { assert } from "../../shared/assert.ts";
import { systemClock } from "../../shared/clock.ts";
import { startTarget } from "../target/start-target.ts";
import type { OwnStack } from "../target/target.ts";
import { directWay, gateWay, type WayIn } from "../trade/way-in.ts";
import { inTurns } from "./gate-crowd.ts";
import { cpuSecondsOf, startNodeServer } from "./node-server.ts";

/**
 * What `npm start` starts, in a folder of its own: the gate in workerd, the venue with all its roles in one process, PGlite, ledger and
 * write-behind, and people in it who have money. Beside it the bare server that it is held against, with a Redis of its own.
 * Nothing is pinned: whatever belongs to a side shares both cores with the load.
 */
export type OrdersStack = {
  readonly origin: Side;
  readonly edge: Side;
  readonly bare: Side;
  readonly stop: () => Promise<void>;
};

/** One way to send orders. */
export type Side = {
  readonly url: string;
  /** Of each person, what a request of theirs says about them. */
  readonly people: readonly Readonly<Record<string, string>>[];
  /** The time that its servers have spent on a core so far, by name; Redis and the load are not among them. */
  readonly cpuSeconds: () => Readonly<Record<string, number>>;
};

const DEPOSITS = { idr: "1000000000000", btc: "100000" };
/** Everybody comes from one address here. */
const ENVIRONMENT = { SLUICE_REQUESTS_PER_ADDRESS: "1000000", SLUICE_JOINS_PER_ADDRESS: "1000000", SLUICE_LOG_LEVEL: "error" };
const ADDRESS = "192.0.2.1";
const QUEUE = { maxActive: 100_000, admissionRate: 10_000, sessionTtlSeconds: 86_400, heartbeatTtlSeconds: 600 };
const PASSWORD = "a long secret of benchmarks";
/** Newer than anything that the record says. */
const SETTINGS = { revision: 1_000_000, max_open_orders: 10_000 };

export async function startOrdersStack(peopleCount: number): Promise<OrdersStack> {
  const target = await startTarget({ queue: QUEUE, environment: ENVIRONMENT, signal: new AbortController().signal, say: () => {} });
  const { own } = target;
  assert(own !== undefined, "the stack is our own");
  const bare = await startBare(own.folder);
  await allowOpenOrders(own.venueUrl);
  const direct = await directWay(own, { queueId: target.queueId, address: ADDRESS, clock: systemClock });
  const signal = new AbortController().signal;
  const people = await inTurns(peopleCount, async (index) => {
    const authorization = await openAccount(index, { folder: own.folder, way: direct });
    const gate = await gateWay(target, { url: target.urls[0], address: ADDRESS, signal });
    return { direct: { ...direct.headers, authorization }, gate: { ...gate.headers, authorization } };
  });
  const cpuOf = (name: string) => cpuSecondsOf(own.stack.pids().get(name) ?? 0);
  return {
    origin: { url: own.originUrl, people: people.map(({ direct: headers }) => headers), cpuSeconds: () => ({ origin: cpuOf("origin") }) },
    edge: {
      url: target.urls[0],
      people: people.map(({ gate }) => gate),
      cpuSeconds: () => ({ edge: cpuOf("edge"), origin: cpuOf("origin") }),
    },
    bare: bare.side,
    stop: async () => {
      await bare.stop();
      await target.stop();
    },
  };
}

async function allowOpenOrders(venueUrl: string): Promise<void> {
  const redis = new Redis(venueUrl);
  await redis.hset("config:system", SETTINGS);
  redis.disconnect();
}

const signedInSchema = z.object({ accessToken: z.string() });
const TRIES_MAX = 40;
const TRY_AGAIN_MS = 250;

/** An account, money in it, and a session. Returns the header that says who it is. */
async function openAccount(index: number, { folder, way }: { readonly folder: OwnStack["folder"]; readonly way: WayIn }): Promise<string> {
  const username = `person_${index}`;
  const made = await control(folder, "/users", { username, email: `${username}@bench.invalid`, password: PASSWORD });
  assert("id" in made, "the venue makes accounts");
  for (const [currency, amount] of Object.entries(DEPOSITS)) {
    await control(folder, "/deposits", { userId: made.id, currency, amount, reference: `bench:${currency}` });
  }
  const response = await fetch(`${way.url}/api/v1/auth/login`, {
    method: "POST",
    headers: { ...way.headers, "content-type": "application/json" },
    body: JSON.stringify({ username, password: PASSWORD }),
  });
  return `Bearer ${signedInSchema.parse(await response.json()).accessToken}`;
}

/** A venue that has just started may have nobody who leads yet. */
async function control(folder: string, path: "/users" | "/deposits", body: object) {
  for (let tries = 1; ; tries++) {
    const answer = await askControl(folder, path, body);
    assert(answer !== undefined, "the venue runs");
    if (!("refused" in answer)) return answer;
    if (tries >= TRIES_MAX) throw new Error(`the venue refused ${path}: ${answer.refused}`);
    await new Promise((resolve) => setTimeout(resolve, TRY_AGAIN_MS));
  }
}

async function startBare(folder: string): Promise<{ readonly side: Side; readonly stop: () => Promise<void> }> {
  const redis = await startRedisServer({ folder: join(folder, "bare-redis"), fsync: "always" });
  const port = await freePort();
  const server = await startNodeServer({
    file: fileURLToPath(new URL("./orders-bare-server.ts", import.meta.url)),
    environment: { BENCH_PORT: String(port), BENCH_REDIS_URL: redis.url },
    url: `http://127.0.0.1:${port}`,
    readyPath: "/",
  });
  return {
    side: { url: server.url, people: [{}], cpuSeconds: () => ({ server: server.cpuSeconds() }) },
    stop: async () => {
      await server.stop();
      await redis.stop();
    },
  };
}
