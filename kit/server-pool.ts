import { once } from "node:events";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Redis } from "ioredis";
import postgres from "postgres";
import type { TestProject } from "vitest/node";
import { assert } from "../shared/assert.ts";
import { type Child, stopAllChildren } from "../stack/servers/child.ts";
import { type RedisServer, startRedisServer } from "../stack/servers/redis-server.ts";
import { startPostgresServer } from "./postgres-server.ts";
import { type ClusterNode, startRedisCluster } from "./redis-cluster.ts";

/**
 * The Redis and PostgreSQL servers of a test run. They live in vitest's main process, so that they outlive the process
 * of a test file: `borrowed-servers.ts` borrows one, has it to itself, and returns it when its connection to the pool
 * ends, however its process ended. A server starts at its first use, and is emptied before the next one. A server that
 * a test has killed, or whose configuration a test has changed, is never lent again.
 */
export type ServerKind = "redis" | "durable redis" | "redis cluster" | "postgres";

export type Loan = {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  readonly folder: string;
  /** Of a cluster. */
  readonly nodes: readonly ClusterNode[];
};

type PooledServer = {
  /** One, or a cluster's nodes. */
  readonly children: readonly [Child, ...Child[]];
  /** Makes it look new. Undefined when it cannot be lent again. */
  readonly renew: () => Promise<Loan | undefined>;
};

declare module "vitest" {
  interface ProvidedContext {
    serverPool: string;
  }
}

const RENEW_MS_MAX = 3_000;

/** vitest calls it once per run, before the first test file, and the returned function after the last. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), "sluice-servers-"));
  // PostgreSQL does not run as root, and its user has to get to its folder.
  await chmod(folder, 0o755);
  const idle: Record<ServerKind, PooledServer[]> = {
    redis: [],
    "durable redis": [],
    "redis cluster": [],
    postgres: [],
  };

  async function lend(kind: ServerKind): Promise<{ readonly server: PooledServer; readonly loan: Loan }> {
    const server = idle[kind].pop() ?? (await START[kind](await mkdtemp(join(folder, "server-"))));
    const loan = await server.renew();
    if (loan !== undefined) return { server, loan };
    for (const child of server.children) await child.stop();
    return lend(kind);
  }

  async function serve(socket: Socket): Promise<void> {
    const returned = once(socket, "close");
    const [kind] = (await once(createInterface({ input: socket }), "line")) as [ServerKind];
    const { server, loan } = await lend(kind);
    socket.write(`${JSON.stringify(loan)}\n`);
    void Promise.race(server.children.map(({ exited }) => exited)).then(() => socket.end());
    await returned;
    idle[kind].push(server);
  }

  const broker = createServer((socket) => {
    socket.on("error", () => socket.destroy());
    serve(socket).catch((error: unknown) => socket.end(`${JSON.stringify({ error: String(error) })}\n`));
  });
  const path = join(folder, "pool.sock");
  broker.listen(path);
  await once(broker, "listening");
  project.provide("serverPool", path);
  return async () => {
    broker.close();
    await stopAllChildren();
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  };
}

const START: Readonly<Record<ServerKind, (folder: string) => Promise<PooledServer>>> = {
  redis: async (folder) => pooledRedis([await startRedisServer({ folder, fsync: "no" })], folder),
  "durable redis": async (folder) => pooledRedis([await startRedisServer({ folder, fsync: "always" })], folder),
  "redis cluster": async (folder) => pooledRedis((await startRedisCluster(folder)).servers, folder),
  postgres: startPostgres,
};

async function pooledRedis(servers: readonly RedisServer[], folder: string): Promise<PooledServer> {
  const [first, ...others] = servers;
  assert(first !== undefined, "a cluster has nodes");
  const { url, port, child } = first;
  const nodes = servers.map((server) => ({ host: "127.0.0.1", port: server.port }));
  const settings = await Promise.all(servers.map((server) => withRedis(server.url, configuration)));
  return {
    children: [child, ...others.map((server) => server.child)],
    renew: async () => {
      const now = await Promise.all(servers.map((server) => withRedis(server.url, emptyRedis)));
      const isAsBefore = now.every((found, index) => found !== undefined && found === settings[index]);
      return isAsBefore ? { url, port, pid: child.pid, folder, nodes } : undefined;
    },
  };
}

/** Empties the store and its statistics, and reads its configuration. */
async function emptyRedis(redis: Redis): Promise<string> {
  await redis.client("UNPAUSE");
  for (const type of ["normal", "pubsub"]) await redis.call("CLIENT", "KILL", "TYPE", type, "SKIPME", "yes");
  await redis.flushall("SYNC");
  await redis.script("FLUSH");
  await redis.slowlog("RESET");
  await redis.config("RESETSTAT");
  return configuration(redis);
}

const configuration = async (redis: Redis) => JSON.stringify(await redis.config("GET", "*"));

/** Undefined when the server does not answer. */
async function withRedis(url: string, work: (redis: Redis) => Promise<string>): Promise<string | undefined> {
  const options = {
    lazyConnect: true,
    retryStrategy: () => null,
    connectTimeout: RENEW_MS_MAX,
    commandTimeout: RENEW_MS_MAX,
  };
  const redis = new Redis(url, options);
  redis.on("error", () => {});
  try {
    await redis.connect();
    return await work(redis);
  } catch {
    return undefined;
  } finally {
    redis.disconnect();
  }
}

async function startPostgres(folder: string): Promise<PooledServer> {
  const { child, url, port } = await startPostgresServer(folder, { isDurable: false });
  let loans = 0;
  return {
    children: [child],
    renew: async () => {
      const database = `loan_${++loans}`;
      const isNew = await Promise.race([newDatabase(url, database), onceDue(RENEW_MS_MAX)]);
      return isNew ? { url: url.replace(/[^/]*$/, database), port, pid: child.pid, folder, nodes: [] } : undefined;
    },
  };
}

/** Drops every database of the loan before, and creates one. */
async function newDatabase(url: string, name: string): Promise<boolean> {
  const sql = postgres(url, { max: 1, connect_timeout: 1, onnotice: () => {} });
  try {
    const used = await sql<
      { datname: string }[]
    >`SELECT datname FROM pg_database WHERE NOT datistemplate AND datname <> 'postgres'`;
    for (const { datname } of used) await sql.unsafe(`DROP DATABASE "${datname}" WITH (FORCE)`);
    await sql.unsafe(`CREATE DATABASE ${name}`);
    return true;
  } catch {
    return false;
  } finally {
    await sql.end({ timeout: 0 });
  }
}

const onceDue = (ms: number) => new Promise<false>((resolve) => void setTimeout(() => resolve(false), ms).unref());
