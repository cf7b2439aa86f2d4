import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Redis } from "ioredis";
import { openLine } from "../../../edge/line/line.ts";
import { type IoredisStore, openIoredisStore } from "../../../edge/node/ioredis-store.ts";
import { writeSettings } from "../../../kit/line-settings.ts";
import { seededRandom } from "../../../kit/random.ts";
import { startRedisServer } from "../../../stack/servers/redis-server.ts";
import { alternate, type Benchmark, type BenchmarkRow, benchmarkRow } from "../benchmark.ts";
import { pinProcess } from "../pinned.ts";

/**
 * The cost of waiting for a replica (WAIT) before a join is answered, compared with the same joins without it: one
 * after the other, where each waits for its own round trip, and many at once, where those of one turn share one.
 */
export const replicasBenchmark: Benchmark = {
  name: "replicas",
  run: async ({ quick }) => {
    const effort = quick ? QUICK : FULL;
    const folder = await mkdtemp(join(tmpdir(), "sluice-bench-"));
    const master = await startRedisServer({ folder: join(folder, "master"), fsync: "no" });
    const replica = await startRedisServer({ folder: join(folder, "replica"), fsync: "no" });
    pinProcess(master.child.pid, MASTER_CORE);
    pinProcess(replica.child.pid, OTHER_CORE);
    const redis = new Redis(master.url);
    const stores: IoredisStore[] = [];
    try {
      await follow(replica.url, master.port);
      const open = async (replicas: number) => {
        const store = openIoredisStore({ urls: [master.url], isCluster: false, replicas });
        stores.push(store);
        await store.settled;
        return store;
      };
      const sides = { redis, waiting: await open(1), plain: await open(0), rounds: effort.rounds };
      return [
        await compareJoins(sides, { atOnce: 1, joins: effort.alone, aim: ALONE_AIM }),
        await compareJoins(sides, { atOnce: AT_ONCE, joins: effort.together, aim: TOGETHER_AIM }),
      ];
    } finally {
      for (const store of stores) store.close();
      redis.disconnect();
      await Promise.all([replica.stop(), master.stop()]);
      await rm(folder, { recursive: true, force: true });
    }
  },
};

const FULL = { rounds: 7, alone: 3_000, together: 30_000 };
const QUICK = { rounds: 1, alone: 100, together: 1_000 };

const MASTER_CORE = 1;
const OTHER_CORE = 0;
const AT_ONCE = 100;
/** One more round trip, to the replica. */
const ALONE_AIM = 0.4;
const TOGETHER_AIM = 0.5;
const TICKET_LIFE_MS = 3_600_000;
const FOLLOWS_WITHIN_MS = 10_000;
const LOOK_EVERY_MS = 20;
const TRIES_MAX = 5;

type Sides = {
  readonly redis: Redis;
  readonly waiting: IoredisStore;
  readonly plain: IoredisStore;
  readonly rounds: number;
};
type Joins = { readonly atOnce: number; readonly joins: number };

async function compareJoins(
  { redis, waiting, plain, rounds }: Sides,
  { aim, ...joins }: Joins & { readonly aim: number },
): Promise<BenchmarkRow> {
  const { atOnce } = joins;
  let lines = 0;
  const perSecond = (store: IoredisStore) =>
    joinsPerSecond(redis, { ...joins, store, queueId: `joins-${atOnce}-${lines++}` });
  const waitsBefore = await waitsOf(redis);
  const measured = await alternate({ rounds, subject: () => perSecond(waiting), baseline: () => perSecond(plain) });
  const waits = (await waitsOf(redis)) - waitsBefore;
  const how = atOnce === 1 ? "one after the other" : `${atOnce} at once`;
  const what = `joins, ${how}, that wait for one replica, against joins that do not`;
  return {
    ...benchmarkRow({ what, unit: "joins/s", aim, ...measured }),
    notes: `${waits} WAITs for ${rounds * joins.joins} joins`,
  };
}

async function waitsOf(redis: Redis): Promise<number> {
  return Number(/^cmdstat_wait:calls=(\d+)/m.exec(await redis.info("commandstats"))?.[1] ?? 0);
}

type Run = Joins & { readonly store: IoredisStore; readonly queueId: string };

async function joinsPerSecond(redis: Redis, { store, queueId, atOnce, joins }: Run): Promise<number> {
  const times = { sessionTtlSeconds: 3_600, claimSeconds: 20, heartbeatTtlSeconds: 60 };
  const settings = { mode: "active", maxActive: 1, rate: 10, burst: 10, maxQueueSize: joins + 1, ...times } as const;
  await writeSettings(redis, { queueId, settings });
  const line = openLine({
    store: store.runner,
    queueId,
    ticketLifeMs: TICKET_LIFE_MS,
    random: seededRandom(joins).next,
  });
  const join = (ticket: number) =>
    trying(() => line.enter({ ticketId: `t-${ticket}`, lane: 0, addressHash: "", ticketsPerIp: 0 }));
  // Take the only slot, and load the scripts.
  await join(0);
  const beganMs = performance.now();
  for (let from = 1; from <= joins; from += atOnce) {
    const answers = await Promise.all(Array.from({ length: atOnce }, (_, index) => join(from + index)));
    if (!answers.every(({ state }) => state === "waiting"))
      throw new Error("a visitor was admitted: the figure would mean nothing");
  }
  return (joins * 1_000) / (performance.now() - beganMs);
}

/** A join can be repeated; on a machine that stalls, the store's timeouts are too short for the first attempt. */
async function trying<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  for (let tries = 1; ; tries++) {
    try {
      return await ask();
    } catch (error) {
      if (tries === TRIES_MAX) throw error;
    }
  }
}

async function follow(url: string, masterPort: number): Promise<void> {
  const redis = new Redis(url);
  try {
    await redis.replicaof("127.0.0.1", masterPort);
    const deadline = performance.now() + FOLLOWS_WITHIN_MS;
    while (!(await redis.info("replication")).includes("master_link_status:up")) {
      if (performance.now() > deadline) throw new Error("the replica does not follow its master");
      await sleep(LOOK_EVERY_MS);
    }
  } finally {
    redis.disconnect();
  }
}
