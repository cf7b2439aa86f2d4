import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Redis } from "ioredis";
import { type Child, startChild } from "../../stack/servers/child.ts";
import { findProgram } from "../../stack/servers/find-program.ts";
import { freePort } from "../../stack/servers/free-port.ts";
import { REDIS_PROGRAMS } from "../../stack/servers/redis-server.ts";
import { waitUntilReady } from "../../stack/servers/wait-until-ready.ts";

/**
 * A Redis Cluster on loopback: three masters that share the slots, and a replica of each, with the settings of
 * `redis.conf`.
 */
export type LocalCluster = {
  readonly nodes: readonly ClusterNode[];
  /** For REDIS_URL: any of them may be unavailable. */
  readonly urls: readonly [string, ...string[]];
  /** The node that serves this key now, and the replicas that follow it. */
  readonly serving: (
    key: string,
  ) => Promise<{ readonly master: ClusterNode; readonly replicas: readonly ClusterNode[] }>;
  readonly stop: () => Promise<void>;
};

export type ClusterNode = {
  readonly port: number;
  readonly url: string;
  readonly child: () => Child;
  /** After its end: the same data on the same port. It joins by itself, as a replica if it was replaced. */
  readonly startAgain: () => Promise<void>;
};

type ClusterOptions = {
  readonly folder: string;
  /** Lines that follow `redis.conf` and override it: a test detects a failure sooner than production would. */
  readonly nodeTimeoutMs?: number;
};

const MASTER_COUNT = 3;
const SLOT_COUNT = 16_384;
const FORM_WITHIN_MS = 30_000;
const LOOK_EVERY_MS = 50;
const SHARED_SETTINGS = fileURLToPath(new URL("redis.conf", import.meta.url));

export async function startCluster({ folder, nodeTimeoutMs }: ClusterOptions): Promise<LocalCluster> {
  const indexes = Array.from({ length: 2 * MASTER_COUNT }, (_, index) => index);
  const nodes = await Promise.all(
    indexes.map((index) => startNode({ folder: join(folder, `node-${index}`), nodeTimeoutMs })),
  );
  const stop = async () => void (await Promise.all(nodes.map((node) => node.child().stop())));
  try {
    await form(nodes);
  } catch (error) {
    await stop();
    throw error;
  }
  const [first, ...others] = nodes.map(({ url }) => url);
  return { nodes, urls: [first ?? "", ...others], serving: (key) => findServing(nodes, key), stop };
}

type NodePlace = { readonly folder: string; readonly nodeTimeoutMs: number | undefined };
type StartedNode = ClusterNode & { readonly busPort: number };

async function startNode({ folder, nodeTimeoutMs }: NodePlace): Promise<StartedNode> {
  const program = findProgram(...REDIS_PROGRAMS);
  if (program === undefined) throw new Error("Neither redis-server nor valkey-server is on the PATH.");
  const [port, busPort] = [await freePort(), await freePort()];
  const configFile = join(folder, "redis.conf");
  const lines = [
    `include "${SHARED_SETTINGS}"`,
    "bind 127.0.0.1",
    `port ${port}`,
    `cluster-port ${busPort}`,
    `dir "${folder}"`,
  ];
  if (nodeTimeoutMs !== undefined) lines.push(`cluster-node-timeout ${nodeTimeoutMs}`);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await writeFile(configFile, `${lines.join("\n")}\n`, { mode: 0o600 });
  const url = `redis://127.0.0.1:${port}`;
  const run = async () => {
    const child = startChild({
      name: `redis ${port}`,
      command: program,
      args: [configFile],
      logFile: join(folder, "redis.log"),
    });
    await waitUntilReady({ child, probe: () => asking(url, async (redis) => (await redis.ping()) === "PONG") });
    return child;
  };
  let child = await run();
  const startAgain = async () => {
    child = await run();
  };
  return { port, busPort, url, child: () => child, startAgain };
}

/** Does what `redis-cli --cluster create` does, without its prompt. */
async function form(nodes: readonly StartedNode[]): Promise<void> {
  const masters = nodes.slice(0, MASTER_COUNT);
  for (const [index, node] of masters.entries()) {
    const from = Math.floor((index * SLOT_COUNT) / MASTER_COUNT);
    const to = Math.floor(((index + 1) * SLOT_COUNT) / MASTER_COUNT) - 1;
    await asking(node.url, (redis) => redis.call("CLUSTER", "ADDSLOTSRANGE", String(from), String(to)));
  }
  for (const [index, node] of nodes.entries()) {
    await asking(node.url, async (redis) => {
      await redis.call("CLUSTER", "SET-CONFIG-EPOCH", String(index + 1));
      const first = nodes[0];
      if (index > 0 && first !== undefined) {
        await redis.call("CLUSTER", "MEET", "127.0.0.1", String(first.port), String(first.busPort));
      }
    });
  }
  await untilAll(
    nodes,
    (info) => info.includes(`cluster_known_nodes:${nodes.length}`) && info.includes("cluster_state:ok"),
  );
  for (const [index, node] of nodes.slice(MASTER_COUNT).entries()) {
    const master = masters[index];
    const id = master === undefined ? "" : String(await asking(master.url, (redis) => redis.call("CLUSTER", "MYID")));
    await asking(node.url, (redis) => redis.call("CLUSTER", "REPLICATE", id));
  }
  const deadline = performance.now() + FORM_WITHIN_MS;
  for (const node of masters) {
    await until(deadline, () =>
      asking(node.url, async (redis) => (await redis.info("replication")).includes("state=online")),
    );
  }
}

async function untilAll(nodes: readonly StartedNode[], isSo: (info: string) => boolean): Promise<void> {
  const deadline = performance.now() + FORM_WITHIN_MS;
  for (const node of nodes) {
    await until(deadline, () => asking(node.url, async (redis) => isSo(String(await redis.call("CLUSTER", "INFO")))));
  }
}

async function until(deadline: number, isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error("the Redis Cluster did not form in time");
    await sleep(LOOK_EVERY_MS);
  }
}

/** The cluster's state, from any node that answers. */
async function findServing(nodes: readonly ClusterNode[], key: string): ReturnType<LocalCluster["serving"]> {
  const asked = nodes.find((node) => !node.child().hasExited());
  if (asked === undefined) throw new Error("no node of the cluster runs");
  return asking(asked.url, async (redis) => {
    const slot = Number(await redis.call("CLUSTER", "KEYSLOT", key));
    const ranges = (await redis.call("CLUSTER", "SLOTS")) as readonly (readonly [
      number,
      number,
      ...(readonly [string, number, string])[],
    ])[];
    const [, , ...holders] = ranges.find(([from, to]) => from <= slot && slot <= to) ?? [0, 0];
    const [master, ...replicas] = holders.map(([, port]) => nodes.find((node) => node.port === port));
    if (master === undefined) throw new Error(`no master serves ${key}`);
    return { master, replicas: replicas.filter((node) => node !== undefined) };
  });
}

/** One command over its own connection. */
async function asking<Answer>(url: string, ask: (redis: Redis) => Promise<Answer>): Promise<Answer> {
  const redis = new Redis(url, {
    lazyConnect: true,
    retryStrategy: () => null,
    connectTimeout: 1_000,
    enableReadyCheck: false,
  });
  // ioredis repeats every failure as an event; the rejected call already tells.
  redis.on("error", () => {});
  try {
    await redis.connect();
    return await ask(redis);
  } finally {
    redis.disconnect();
  }
}
