import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { type Bridge, startBridge } from "../bridge/bridge.ts";
import { openUpstash } from "../edge/store/open-store.ts";
import { storePatience } from "../edge/store/store-patience.ts";
import { borrowRedis, borrowRedisCluster, type TestServer } from "../kit/borrowed-servers.ts";
import { scriptRunner } from "../origin/redis/script-runner.ts";
import { defineScript, type ScriptRunner } from "../shared/store/define-script.ts";
import { storeHealth } from "../shared/store/store-health.ts";
import { createLogger } from "../stack/program/log.ts";

const TOKEN = "a-token-of-this-test";
const quiet = createLogger("test", { write: () => {} });

/** Says what it was given, in the order it was given, and counts its runs. */
const echo = defineScript({
  name: "echo",
  source: [
    "-- KEYS[1] first  KEYS[2] second",
    "redis.call('INCR', KEYS[2]) return { KEYS[1], KEYS[2], ARGV[1], ARGV[2], tonumber(ARGV[2]) + 1 }",
  ].join("\n"),
  keys: ["first", "second"],
  args: { text: z.string(), count: z.number().int() },
  reply: z.tuple([z.string(), z.string(), z.string(), z.string(), z.number()]),
});

const keys = { first: "{tag}:a", second: "{tag}:b" };
const args = { text: 'a "quoted" ü text', count: 41 };

let server: TestServer;
let cluster: Awaited<ReturnType<typeof borrowRedisCluster>>;
let bridge: Bridge;
let single: Redis;
let clustered: InstanceType<typeof Redis.Cluster>;

beforeAll(async () => {
  [server, cluster] = await Promise.all([borrowRedis({ fsync: "no" }), borrowRedisCluster()]);
  single = new Redis(server.url);
  clustered = new Redis.Cluster([...cluster.nodes]);
  bridge = await startBridge({
    redisUrls: [server.url],
    isCluster: false,
    port: 0,
    token: TOKEN,
    allow: [],
    log: quiet,
  });
});

afterAll(async () => {
  single.disconnect();
  clustered.disconnect();
  await bridge.stop();
});

const runners: readonly (readonly [string, () => ScriptRunner])[] = [
  ["ioredis to one server", () => scriptRunner(single)],
  ["ioredis to a cluster", () => scriptRunner(clustered)],
  [
    "@upstash/redis through the bridge",
    () => openUpstash({ url: bridge.url, token: TOKEN, patience: storePatience(60_000) }),
  ],
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
    const failing = defineScript({
      name: "failing",
      source: "return redis.error_reply('ERR no')",
      keys: [],
      args: {},
      reply: z.null(),
    });
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
    await expect(echo.run(runner(), { keys: { first: "{one}:a", second: "{two}:b" }, args })).rejects.toThrow(
      "several slots",
    );
  });

  it("gives a script a list of any length behind its named keys", async () => {
    const source = "-- KEYS[1] first  KEYS[2..] rows\nreturn KEYS";
    const list = defineScript({
      name: "list",
      source,
      keys: ["first", "...rows"],
      args: {},
      reply: z.array(z.string()),
    });
    for (const rows of [[], ["{tag}:b"], ["{tag}:b", "{tag}:c"]])
      expect(await list.run(runner(), { keys: { first: "{tag}:a", rows }, args: {} })).toEqual(["{tag}:a", ...rows]);
    const tooMany = Array.from({ length: 1_001 }, (_, index) => `{tag}:${index}`);
    await expect(list.run(runner(), { keys: { first: "{tag}:a", rows: tooMany }, args: {} })).rejects.toThrow(
      "more than 1000 keys",
    );
    await expect(list.run(runner(), { keys: { first: "{tag}:a", rows: ["{other}:b"] }, args: {} })).rejects.toThrow(
      "several slots",
    );
  });

  it.each([
    ["fewer keys than its header lists", "-- KEYS[1] first\n-- KEYS[2] second", ["first"]],
    ["more keys than its header lists", "-- KEYS[1] first", ["first", "second"]],
    ["its keys in another order than its header", "-- KEYS[1] first\n-- KEYS[2] second", ["second", "first"]],
    ["a key where its header lists a list", "-- KEYS[1..] first", ["first"]],
    [
      "two names for one key, in a piece and the script that includes it",
      "-- KEYS[1] first\n-- KEYS[1] other",
      ["first"],
    ],
    ["a list that is not last", "-- KEYS[1..] rows\n-- KEYS[2] second", ["...rows", "second"]],
  ])("refuses a script that is defined with %s", (_what, source, names) => {
    expect(() => defineScript({ name: "wrong", source, keys: names, args: {}, reply: z.null() })).toThrow(
      "script wrong",
    );
  });

  it("refuses an argument that its schema does not accept, and a reply in an unknown shape", async () => {
    await expect(echo.run(runner(), { keys, args: { ...args, count: 1.5 } })).rejects.toThrow();
    const wrong = defineScript({ name: "wrong", source: "return 'text'", keys: [], args: {}, reply: z.number() });
    await expect(wrong.run(runner(), { keys: {}, args: {} })).rejects.toThrow(
      "script wrong answered in an unknown shape",
    );
  });
});

function callsOf(command: string, stats: string): number {
  return Number(new RegExp(`cmdstat_${command}:calls=(\\d+)`).exec(stats)?.[1] ?? 0);
}
