import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { storePatience } from "../edge/store/store-patience.ts";
import { openUpstash } from "../edge/store/upstash.ts";
import { createLogger } from "../origin/log.ts";
import { scriptRunner } from "../origin/redis/script-runner.ts";
import { type Bridge, startBridge } from "../origin/redis-rest/bridge.ts";
import { type RedisServer, startRedisServer } from "../origin/stack/redis-server.ts";
import { defineScript, type ScriptRunner } from "../shared/define-script.ts";
import { storeHealth } from "../shared/store-health.ts";
import { type RedisCluster, startRedisCluster } from "./parts/redis-cluster.ts";
import { temporaryFolder } from "./parts/temporary-folder.ts";

const TOKEN = "a-token-of-this-test";
const quiet = createLogger("test", { write: () => {} });

/** Says what it was given, in the order it was given, and counts its runs. */
const echo = defineScript({
  name: "echo",
  source: "redis.call('INCR', KEYS[2]) return { KEYS[1], KEYS[2], ARGV[1], ARGV[2], tonumber(ARGV[2]) + 1 }",
  keys: ["first", "second"],
  args: { text: z.string(), count: z.number().int() },
  reply: z.tuple([z.string(), z.string(), z.string(), z.string(), z.number()]),
});

const keys = { first: "{tag}:a", second: "{tag}:b" };
const args = { text: 'a "quoted" ü text', count: 41 };

let server: RedisServer;
let cluster: RedisCluster;
let bridge: Bridge;
let single: Redis;
let clustered: InstanceType<typeof Redis.Cluster>;

beforeAll(async () => {
  [server, cluster] = await Promise.all([
    startRedisServer({ folder: await temporaryFolder(), fsync: "no" }),
    startRedisCluster(await temporaryFolder()),
  ]);
  single = new Redis(server.url);
  clustered = new Redis.Cluster([...cluster.nodes]);
  bridge = await startBridge({ redisUrls: [server.url], isCluster: false, port: 0, token: TOKEN, allow: [], log: quiet });
});

afterAll(async () => {
  single.disconnect();
  clustered.disconnect();
  await bridge.stop();
  await Promise.all([server.stop(), cluster.stop()]);
});

const runners: readonly (readonly [string, () => ScriptRunner])[] = [
  ["ioredis to one server", () => scriptRunner(single)],
  ["ioredis to a cluster", () => scriptRunner(clustered)],
  ["@upstash/redis through the bridge", () => openUpstash({ url: bridge.url, token: TOKEN, patience: storePatience(60_000) })],
];

describe.each(runners)("a script over %s", (_name, runner) => {
  it("gets its keys and arguments in the order of its definition, whatever the order of the call", async () => {
    const call = { keys: { second: keys.second, first: keys.first }, args: { count: 41, text: args.text } };
    expect(await echo.run(runner(), call)).toEqual(["{tag}:a", "{tag}:b", args.text, "41", 42]);
  });

  it("tells the server's time", async () => {
    const difference = Math.abs((await storeHealth.run(runner(), { keys: {}, args: {} })) - Date.now());
    expect(difference).toBeLessThan(60_000);
  });

  it("passes a script's own error on instead of trying again", async () => {
    const failing = defineScript({ name: "failing", source: "return redis.error_reply('ERR no')", keys: [], args: {}, reply: z.null() });
    await expect(failing.run(runner(), { keys: {}, args: {} })).rejects.toThrow(/ERR no/);
  });
});

describe("defineScript", () => {
  const runner = () => scriptRunner(single);

  it("sends the source only when the server does not know it, and runs it once", async () => {
    await single.script("FLUSH");
    await single.del(keys.second);
    await single.config("RESETSTAT");
    for (let run = 0; run < 3; run++)
      await echo.run(openUpstash({ url: bridge.url, token: TOKEN, patience: storePatience(60_000) }), { keys, args });
    const stats = await single.info("commandstats");
    expect([callsOf("evalsha", stats), callsOf("eval", stats)]).toEqual([3, 1]);
    expect(await single.get(keys.second)).toBe("3");
  });

  it("refuses keys of several slots before anything is sent", async () => {
    await expect(echo.run(runner(), { keys: { first: "{one}:a", second: "{two}:b" }, args })).rejects.toThrow("several slots");
  });

  it("refuses an argument that its schema does not accept, and a reply in an unknown shape", async () => {
    await expect(echo.run(runner(), { keys, args: { ...args, count: 1.5 } })).rejects.toThrow();
    const wrong = defineScript({ name: "wrong", source: "return 'text'", keys: [], args: {}, reply: z.number() });
    await expect(wrong.run(runner(), { keys: {}, args: {} })).rejects.toThrow("script wrong answered in an unknown shape");
  });
});

function callsOf(command: string, stats: string): number {
  return Number(new RegExp(`cmdstat_${command}:calls=(\\d+)`).exec(stats)?.[1] ?? 0);
}
