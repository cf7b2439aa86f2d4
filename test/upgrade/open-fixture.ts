import { execFileSync } from "node:child_process";
import { cp, mkdir } from "node:fs/promises";
import { Redis } from "ioredis";
import { afterAll } from "vitest";
import { startOwnRedis, type TestServer } from "../../kit/borrowed-servers.ts";
import { temporaryFolder } from "../../kit/temporary-folder.ts";
import type { Database } from "../../origin/db/database.ts";
import { openEmbeddedDatabase } from "../../origin/db/embedded-database.ts";
import { migrate } from "../../origin/db/migrate.ts";
import { migrations } from "../../origin/db/migrations.ts";
import { acquireLease, keepLease, type Lease } from "../../origin/journal/lease.ts";
import { loadTables } from "../../origin/record/backup/load-tables.ts";
import { readManifest } from "../../origin/record/backup/manifest.ts";
import { scriptRunner } from "../../origin/redis/script-runner.ts";
import { silentLog } from "../ledger/ledger-stores.ts";
import { fixtureFolder } from "./recorded.ts";

/** A data folder as an earlier version left it, for one test. */
export type FixtureStores = {
  readonly folder: string;
  readonly redisServer: TestServer;
  readonly redis: Redis;
  /** Opened on the first call. */
  readonly database: () => Promise<Database>;
};

const patterns = new Map<string, Promise<string>>();
const atTheEnd: (() => Promise<unknown>)[] = [];

afterAll(async () => {
  for (const stop of atTheEnd.splice(0).reverse()) await stop();
});

export async function openFixture(name: string): Promise<FixtureStores> {
  const folder = await temporaryFolder();
  const pattern = patterns.get(name) ?? makePattern(name);
  patterns.set(name, pattern);
  execFileSync("cp", ["-R", await pattern, `${folder}/postgres`]);
  await mkdir(`${folder}/venue-redis`);
  await cp(`${fixtureFolder(name)}appendonlydir`, `${folder}/venue-redis/appendonlydir`, { recursive: true });
  const redisServer = await startOwnRedis(`${folder}/venue-redis`);
  const redis = new Redis(redisServer.url);
  redis.on("error", () => {});
  let opened: Promise<Database> | undefined;
  atTheEnd.push(async () => {
    redis.disconnect();
    await redisServer.stop();
    await (await opened)?.close();
  });
  const database = () => {
    opened ??= openEmbeddedDatabase(`${folder}/postgres`);
    return opened;
  };
  return { folder, redisServer, redis, database };
}

/** Another process that leads on these stores, or upgrades them, until it releases the lease. */
export async function leaseOf({ redis }: FixtureStores, owner: string): Promise<Lease> {
  const runner = scriptRunner(redis);
  const epoch = await acquireLease(runner, owner);
  if (epoch === undefined) throw new Error("another process leads already");
  return keepLease(runner, epoch, silentLog);
}

/** The tables of that version, with its rows. */
async function makePattern(name: string): Promise<string> {
  const folder = `${await temporaryFolder()}/postgres`;
  const manifest = await readManifest(`${fixtureFolder(name)}backup`);
  if (!manifest.ok) throw new Error(manifest.reason);
  const database = await openEmbeddedDatabase(folder);
  await migrate(database, migrations.slice(0, manifest.value.schema.length));
  const loaded = await loadTables(database, `${fixtureFolder(name)}backup`, manifest.value);
  if (!loaded.ok) throw new Error(loaded.reason);
  await database.close();
  return folder;
}

/** All keys with their contents, except the lease and the counters of rate limits. */
export async function contentsOf(redis: Redis): Promise<Readonly<Record<string, unknown>>> {
  const contents: Record<string, unknown> = {};
  for (const key of (await redis.keys("*")).toSorted()) {
    if (!/:fence$|^ratelimit:|:upgrading$|^sessions:|:consumers$/.test(key))
      contents[key] = await contentOf(redis, key);
  }
  return contents;
}

async function contentOf(redis: Redis, key: string): Promise<unknown> {
  const type = await redis.type(key);
  switch (type) {
    case "string":
      return redis.get(key);
    case "hash":
      return redis.hgetall(key);
    case "list":
      return redis.lrange(key, 0, -1);
    case "set":
      return (await redis.smembers(key)).toSorted();
    case "zset":
      return redis.zrange(key, "0", "-1", "WITHSCORES");
    case "stream":
      return redis.xrange(key, "-", "+");
    default:
      throw new Error(`${key} is a ${type}`);
  }
}
