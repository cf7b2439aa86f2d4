import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Redis } from "ioredis";
import { type RedisServer, startRedisServer } from "../stack/servers/redis-server.ts";

/** Three masters that share the 16,384 slots: enough to see a script or a pipeline that crosses slots fail. */
export type RedisCluster = {
  readonly nodes: readonly ClusterNode[];
  readonly servers: readonly RedisServer[];
  readonly stop: () => Promise<void>;
};

export type ClusterNode = { readonly host: string; readonly port: number };

const NODE_COUNT = 3;
const SLOT_COUNT = 16_384;
const FORM_WITHIN_MS = 15_000;

export async function startRedisCluster(folder: string): Promise<RedisCluster> {
  const indexes = Array.from({ length: NODE_COUNT }, (_, index) => index);
  const servers = await Promise.all(
    indexes.map((index) =>
      startRedisServer({ folder: join(folder, `node-${index}`), fsync: "no", clusterEnabled: true }),
    ),
  );
  const clients = servers.map((server) => new Redis(server.url));
  try {
    await formCluster(servers, clients);
  } finally {
    for (const client of clients) client.disconnect();
  }
  const stop = async () => void (await Promise.all(servers.map((server) => server.stop())));
  return { nodes: servers.map(({ port }) => ({ host: "127.0.0.1", port })), servers, stop };
}

async function formCluster(servers: readonly RedisServer[], clients: readonly Redis[]): Promise<void> {
  for (const [index, client] of clients.entries()) {
    const from = Math.floor((index * SLOT_COUNT) / NODE_COUNT);
    const to = Math.floor(((index + 1) * SLOT_COUNT) / NODE_COUNT) - 1;
    await client.call("CLUSTER", "ADDSLOTSRANGE", String(from), String(to));
    await client.call("CLUSTER", "SET-CONFIG-EPOCH", String(index + 1));
  }
  for (const { port, clusterBusPort } of servers.slice(1)) {
    await clients[0]?.call("CLUSTER", "MEET", "127.0.0.1", String(port), String(clusterBusPort));
  }
  const deadline = performance.now() + FORM_WITHIN_MS;
  for (const client of clients) {
    while (!(await isWhole(client))) {
      if (performance.now() > deadline) throw new Error("the Redis Cluster did not form in time");
      await sleep(50);
    }
  }
}

async function isWhole(client: Redis): Promise<boolean> {
  const info = String(await client.call("CLUSTER", "INFO"));
  return (
    info.includes("cluster_state:ok") &&
    info.includes(`cluster_known_nodes:${NODE_COUNT}`) &&
    info.includes(`cluster_slots_assigned:${SLOT_COUNT}`)
  );
}
