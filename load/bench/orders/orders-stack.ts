import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Redis } from "ioredis";
import { assert } from "../../../shared/assert.ts";
import { systemClock } from "../../../shared/clock.ts";
import { freePort } from "../../../stack/servers/free-port.ts";
import { startRedisServer } from "../../../stack/servers/redis-server.ts";
import { startTarget } from "../../target/start-target.ts";
import { openAccount } from "../../trade/open-traders.ts";
import { directWay, gateWay } from "../../trade/way-in.ts";
import { inTurns } from "../gate/gate-crowd.ts";
import { cpuSecondsOf, startNodeServer } from "../http/node-server.ts";

/**
 * The stack of `npm start` in its own folder: the gate in workerd, the venue with all roles in one process, PGlite,
 * ledger and write-behind, and users with money. Beside it the bare server of the baseline with its own Redis. Nothing
 * is pinned: each side shares both cores with the load.
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
  /** The headers that authenticate each user. */
  readonly people: readonly Readonly<Record<string, string>>[];
  /** Processor time of its servers so far, by name, without Redis and the load. */
  readonly cpuSeconds: () => Readonly<Record<string, number>>;
};

/** All users share one address. */
const ENVIRONMENT = {
  SLUICE_REQUESTS_PER_ADDRESS: "1000000",
  SLUICE_JOINS_PER_ADDRESS: "1000000",
  SLUICE_LOG_LEVEL: "error",
};
const ADDRESS = "192.0.2.1";
const QUEUE = { maxActive: 100_000, admissionRate: 10_000, sessionTtlSeconds: 86_400, heartbeatTtlSeconds: 600 };
/** A revision above the one in the database. */
const SETTINGS = { revision: 1_000_000, max_open_orders: 10_000 };

export async function startOrdersStack(peopleCount: number): Promise<OrdersStack> {
  const target = await startTarget({
    queue: QUEUE,
    environment: ENVIRONMENT,
    signal: new AbortController().signal,
    say: () => {},
  });
  const { own } = target;
  assert(own !== undefined, "the run has its own stack");
  const bare = await startBare(own.folder);
  await allowOpenOrders(own.venueUrl);
  const direct = await directWay(own, { queueId: target.queueId, address: ADDRESS, clock: systemClock });
  const signal = new AbortController().signal;
  const people = await inTurns(peopleCount, async (index) => {
    const account = { username: `person_${index}`, folder: own.folder, currencies: ["idr", "btc"], way: direct };
    const { authorization } = await openAccount(account);
    const gate = await gateWay(target, { url: target.urls[0], address: ADDRESS, signal });
    return { direct: { ...direct.headers, authorization }, gate: { ...gate.headers, authorization } };
  });
  const cpuOf = (name: string) => cpuSecondsOf(own.stack.pids().get(name) ?? 0);
  return {
    origin: {
      url: own.originUrl,
      people: people.map(({ direct: headers }) => headers),
      cpuSeconds: () => ({ origin: cpuOf("origin") }),
    },
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
