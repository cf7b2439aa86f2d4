import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Redis } from "ioredis";
import { startPostgresServer } from "../../kit/postgres-server.ts";
import { type RedisServer, startRedisServer } from "../../stack/servers/redis-server.ts";
import { playStory, recordAnswers } from "./fixture-story.ts";
import { openFixtureVenue } from "./fixture-venue.ts";

/**
 * `node --import ./stack/program/lua-loader.ts test/upgrade/make-fixture.ts FOLDER VERSION`: records the data of this
 * version as a fixture for later ones. FOLDER must not exist yet.
 */
const [target = "", version = ""] = process.argv.slice(2);
if (target === "" || version === "") throw new Error("make-fixture.ts FOLDER VERSION");
const folder = await mkdtemp(join(tmpdir(), "sluice-fixture-"));
const postgres = await startPostgresServer(folder);
const place = { folder: `${folder}/venue-redis`, fsync: "always" } as const;
let redis: RedisServer = await startRedisServer(place);
try {
  const people = await playStory(await openFixtureVenue({ folder, redisUrl: redis.url, databaseUrl: postgres.url }));
  await compact(redis);
  const stopped = await openFixtureVenue({ folder, redisUrl: redis.url, databaseUrl: postgres.url });
  stopped.sluice(["backup", `${folder}/backup`]);
  await redis.stop();
  await mkdir(target, { recursive: true });
  await cp(`${folder}/venue-redis/appendonlydir`, join(target, "appendonlydir"), {
    recursive: true,
    errorOnExist: true,
    force: false,
  });
  await cp(`${folder}/backup`, join(target, "backup"), { recursive: true, errorOnExist: true, force: false });
  redis = await startRedisServer(place);
  const venue = await openFixtureVenue({ folder, redisUrl: redis.url, databaseUrl: postgres.url });
  const recorded = await recordAnswers(venue, people, version);
  await writeFile(join(target, "answers.json"), `${JSON.stringify(recorded, null, 1)}\n`);
} finally {
  await redis.stop();
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
}
process.exit();

/** Small, and without the expiry of client order ids: a test that sets the clock back to that day finds them. */
async function compact({ url }: RedisServer): Promise<void> {
  const client = new Redis(url);
  for (const key of await client.keys("v1:{t0}:name*")) await client.persist(key);
  await client.bgrewriteaof();
  while (/aof_rewrite_(in_progress|scheduled):1/.test(await client.info("persistence"))) await sleep(20);
  client.disconnect();
}
