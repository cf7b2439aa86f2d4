import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Redis } from "ioredis";
import { CONSUMERS_KEY, OFFSET_KEY } from "../../../origin/journal/keys.ts";
import { assert } from "../../../shared/assert.ts";
import { systemClock } from "../../../shared/clock.ts";
import { freePort } from "../../../stack/servers/free-port.ts";
import { startRedisServer } from "../../../stack/servers/redis-server.ts";
import { startTarget } from "../../target/start-target.ts";
import { openAccount } from "../../trade/open-traders.ts";
import { directWay, gateWay } from "../../trade/way-in.ts";
import { inTurns } from "../gate/gate-crowd.ts";
import { cpuSecondsByThread, cpuSecondsOf, startNodeServer } from "../http/node-server.ts";

/**
 * The stack of `npm start` in its own folder: the gate in workerd, the venue with all roles in one process, PGlite,
 * ledger and write-behind, and users with money. Beside it the bare server of the baseline with its own Redis. Nothing
 * is pinned: each side shares both cores with the load.
 */
export type OrdersStack = {
  readonly origin: Side;
  readonly edge: Side;
  readonly bare: Side;
  /** Returns once the permanent record has every order: no round pays for the record of another one. */
  readonly untilRecorded: () => Promise<void>;
  readonly stop: () => Promise<void>;
};

/** One way to send orders. */
export type Side = {
  readonly url: string;
  /** The headers that authenticate each user. */
  readonly people: readonly Readonly<Record<string, string>>[];
  /** Processor time of its servers so far, by name, without the load. */
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
const RECORDED_LOOK_MS = 20;
const RECORDED_MS_MAX = 60_000;
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
  const redis = new Redis(own.venueUrl);
  await redis.hset("config:system", SETTINGS);
  const direct = await directWay(own, { queueId: target.queueId, address: ADDRESS, clock: systemClock });
  const signal = new AbortController().signal;
  const people = await inTurns(peopleCount, async (index) => {
    const account = { username: `person_${index}`, folder: own.folder, currencies: ["idr", "btc"], way: direct };
    const { authorization } = await openAccount(account);
    const gate = await gateWay(target, { url: target.urls[0], address: ADDRESS, signal });
    return { direct: { ...direct.headers, authorization }, gate: { ...gate.headers, authorization } };
  });
  const pidOf = (name: string) => own.stack.pids().get(name) ?? 0;
  const venueCpu = () => ({
    ...prefixed("origin's", cpuSecondsByThread(pidOf("origin"), DATABASE_THREADS)),
    "venue's Redis": cpuSecondsOf(pidOf("venue-redis")),
  });
  return {
    origin: {
      url: own.originUrl,
      people: people.map(({ direct: headers }) => headers),
      cpuSeconds: venueCpu,
    },
    edge: {
      url: target.urls[0],
      people: people.map(({ gate }) => gate),
      cpuSeconds: () => ({ edge: cpuSecondsOf(pidOf("edge")), ...venueCpu() }),
    },
    bare: bare.side,
    untilRecorded: () => untilRecorded(redis),
    stop: async () => {
      redis.disconnect();
      await bare.stop();
      await target.stop();
    },
  };
}

const DATABASE_THREADS = ["database"] as const;

function prefixed(prefix: string, values: Readonly<Record<string, number>>): Readonly<Record<string, number>> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [`${prefix} ${name}`, value]));
}

async function untilRecorded(redis: Redis): Promise<void> {
  const deadline = performance.now() + RECORDED_MS_MAX;
  while (performance.now() < deadline) {
    const committed = Number(await redis.hget(OFFSET_KEY, "sequence"));
    if (Number(await redis.hget(CONSUMERS_KEY, "ledger")) >= committed) return;
    await sleep(RECORDED_LOOK_MS);
  }
  throw new Error("the permanent record did not catch up");
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
    side: {
      url: server.url,
      people: [{}],
      cpuSeconds: () => ({ server: server.cpuSeconds(), "its Redis": cpuSecondsOf(redis.child.pid ?? 0) }),
    },
    stop: async () => {
      await server.stop();
      await redis.stop();
    },
  };
}
