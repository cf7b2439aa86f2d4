import type { Redis as UpstashRedis } from "@upstash/redis";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { borrowRedisCluster } from "../kit/borrowed-servers.ts";
import { temporaryFolder } from "../kit/temporary-folder.ts";
import { isHealthy, startTestBridge, type TestBridge, until } from "../kit/test-bridge.ts";
import { startRedisServer } from "../stack/servers/redis-server.ts";

/** The unchanged client of the hosted service, over both kinds of store. Keys share a hash tag, as ours always do. */
const STORES = {
  "one server": async () => {
    const server = await startRedisServer({ folder: await temporaryFolder(), fsync: "no", password: "a password" });
    return { urls: [server.url] as const, isCluster: false, stop: server.stop };
  },
  "a cluster of three": async () => {
    const cluster = await borrowRedisCluster();
    const [first] = cluster.nodes;
    return { urls: [`redis://${first?.host}:${first?.port}`] as const, isCluster: true, stop: async () => {} };
  },
};

describe.each(Object.entries(STORES))("@upstash/redis over %s", (_name, startStore) => {
  let store: Awaited<ReturnType<typeof startStore>>;
  let bridge: TestBridge;
  let redis: UpstashRedis;

  beforeAll(async () => {
    store = await startStore();
    bridge = await startTestBridge({ redisUrls: store.urls, isCluster: store.isCluster });
    await until(() => isHealthy(bridge));
    redis = bridge.client();
  });
  afterAll(async () => {
    await bridge.stop();
    await store.stop();
  });

  it.each([
    ["plain", "value"],
    ["empty", ""],
    ["unicode", 'žluťoučký 馬 🐎 \u0000 \r\n "quoted" \\ end'],
    ["the word OK", "OK"],
    ["base64 look-alike", "T0s="],
    ["a long text", "å".repeat(200_000)],
  ])("keeps a string: %s", async (name, value) => {
    const text = bridge.client({ automaticDeserialization: false });
    expect(await text.set(`{s}:${name}`, value)).toBe("OK");
    expect(await text.get(`{s}:${name}`)).toBe(value);
    expect(await text.strlen(`{s}:${name}`)).toBe(Buffer.byteLength(value));
  });

  it("keeps what the client serialises: objects, numbers, booleans", async () => {
    await redis.mset({ "{j}:object": { a: [1, "ž", null] }, "{j}:number": 1.5, "{j}:true": true });
    expect(await redis.mget("{j}:object", "{j}:number", "{j}:true", "{j}:none")).toEqual([
      { a: [1, "ž", null] },
      1.5,
      true,
      null,
    ]);
  });

  it("runs string commands", async () => {
    expect(await redis.set("{k}:a", "1", { ex: 100 })).toBe("OK");
    expect(await redis.set("{k}:a", "2", { nx: true })).toBeNull();
    expect(await redis.ttl("{k}:a")).toBe(100);
    expect(await redis.incrby("{k}:a", 41)).toBe(42);
    expect(await redis.incrbyfloat("{k}:a", 0.5)).toBe(42.5);
    expect(await redis.append("{k}:b", "xyz")).toBe(3);
    expect(await redis.getrange("{k}:b", 1, 2)).toBe("yz");
    expect(await redis.getdel("{k}:b")).toBe("xyz");
    expect(await redis.setbit("{k}:bits", 7, 1)).toBe(0);
    expect(await redis.bitcount("{k}:bits", 0, -1)).toBe(1);
    expect(await redis.exists("{k}:a", "{k}:b")).toBe(1);
    expect(await redis.del("{k}:a", "{k}:bits")).toBe(2);
    expect(await redis.type("{k}:a")).toBe("none");
    expect(await redis.ping()).toBe("PONG");
  });

  it("runs hash commands", async () => {
    expect(await redis.hset("{h}", { name: "Žofie", age: 7, tags: ["x"] })).toBe(3);
    expect(await redis.hgetall("{h}")).toEqual({ name: "Žofie", age: 7, tags: ["x"] });
    expect(await redis.hmget("{h}", "name", "none")).toEqual({ name: "Žofie", none: null });
    expect(await redis.hincrby("{h}", "age", 3)).toBe(10);
    expect((await redis.hkeys("{h}")).toSorted()).toEqual(["age", "name", "tags"]);
    expect(await redis.hscan("{h}", 0)).toEqual(["0", expect.arrayContaining(["name", "Žofie"])]);
    expect(await redis.hdel("{h}", "name", "none")).toBe(1);
    expect(await redis.hgetall("{none}")).toBeNull();
  });

  it("runs sorted-set commands", async () => {
    expect(
      await redis.zadd("{z}", { score: 1.5, member: "a" }, { score: 2, member: "b" }, { score: -1, member: "č" }),
    ).toBe(3);
    expect(await redis.zrange("{z}", 0, -1, { withScores: true })).toEqual(["č", -1, "a", 1.5, "b", 2]);
    expect(await redis.zrange("{z}", "-inf", 1.5, { byScore: true })).toEqual(["č", "a"]);
    expect(await redis.zscore("{z}", "a")).toBe(1.5);
    expect(await redis.zrank("{z}", "b")).toBe(2);
    expect(await redis.zrank("{z}", "none")).toBeNull();
    expect(await redis.zincrby("{z}", 10, "č")).toBe(9);
    expect(await redis.zpopmin("{z}")).toEqual(["a", 1.5]);
    expect(await redis.zunionstore("{z}:2", 1, ["{z}"])).toBe(2);
    expect(await redis.zremrangebyscore("{z}", 5, 10)).toBe(1);
    expect(await redis.zcard("{z}")).toBe(1);
  });

  it("runs list and set commands", async () => {
    expect(await redis.rpush("{l}", "a", "b", "c")).toBe(3);
    expect(await redis.lrange("{l}", 0, -1)).toEqual(["a", "b", "c"]);
    expect(await redis.lmove("{l}", "{l}:2", "left", "right")).toBe("a");
    expect(await redis.lpop("{l}", 5)).toEqual(["b", "c"]);
    expect(await redis.lpop("{l}")).toBeNull();
    expect(await redis.sadd("{set}", "x", "y", "ž")).toBe(3);
    expect(await redis.smismember("{set}", ["x", "none"])).toEqual([1, 0]);
    expect((await redis.smembers("{set}")).toSorted()).toEqual(["x", "y", "ž"]);
    expect(await redis.sinterstore("{set}:2", "{set}")).toBe(3);
    expect(await redis.srem("{set}", "x")).toBe(1);
  });

  it("runs stream commands with consumer groups", async () => {
    const id = await redis.xadd("{x}", "*", { field: "ž", n: 1 });
    expect(id).toMatch(/^\d+-\d+$/);
    expect(await redis.xlen("{x}")).toBe(1);
    expect(await redis.xrange("{x}", "-", "+")).toEqual({ [id]: { field: "ž", n: 1 } });
    expect(await redis.xgroup("{x}", { type: "CREATE", group: "g", id: "0" })).toBe("OK");
    const read = await redis.xreadgroup("g", "me", "{x}", ">");
    expect(read).toEqual([["{x}", [[id, ["field", "ž", "n", 1]]]]]);
    expect(await redis.xack("{x}", "g", id)).toBe(1);
    expect(await redis.xread("{x}", "0")).toEqual([["{x}", [[id, ["field", "ž", "n", 1]]]]]);
    expect(await redis.xreadgroup("g", "me", "{x}", ">")).toBeNull();
    expect(await redis.xtrim("{x}", { strategy: "MAXLEN", exactness: "=", threshold: 0 })).toBe(1);
  });

  it("runs geo and cardinality commands", async () => {
    expect(await redis.geoadd("{g}", { longitude: 14.42, latitude: 50.08, member: "Praha" })).toBe(1);
    expect(await redis.geopos("{g}", "Praha")).toEqual([
      { lng: expect.closeTo(14.42, 3), lat: expect.closeTo(50.08, 3) },
    ]);
    expect(await redis.pfadd("{p}", "a", "b")).toBe(1);
    expect(await redis.pfcount("{p}")).toBe(2);
  });

  it("runs scripts by text and by digest, with nested replies", async () => {
    const script =
      "redis.call('SET', KEYS[1], ARGV[1]) return {1, 'ž', {redis.call('GET', KEYS[1]), false, {ok = 'OK'}}}";
    const reply = [1, "ž", ["hi", null, "OK"]];
    expect(await redis.eval(script, ["{e}"], ["hi"])).toEqual(reply);
    const sha = await redis.scriptLoad(script);
    expect(sha).toMatch(/^[0-9a-f]{40}$/);
    expect(await redis.scriptExists(sha, "0".repeat(40))).toEqual([1, 0]);
    expect(await redis.evalsha(sha, ["{e}:another key of another slot {q}"], ["hi"])).toEqual(reply);
    expect(await redis.evalRo("return redis.call('GET', KEYS[1])", ["{e}"], [])).toBe("hi");
    expect(await redis.scriptFlush()).toBe("OK");
    expect(await redis.scriptExists(sha)).toEqual([0]);
    await expect(redis.evalsha(sha, ["{e}"], ["hi"])).rejects.toThrow("NOSCRIPT");
    expect(await redis.createScript(script).exec(["{e}"], ["hi"])).toEqual(reply);
    await expect(redis.eval("return redis.error_reply('MY own error')", [], [])).rejects.toThrow("MY own error");
  });

  it("answers a pipeline in order, a failing member in its own place", async () => {
    await redis.set("{pl}:text", "text");
    const results = await redis
      .pipeline()
      .set("{pl}:1", "one")
      .incr("{pl}:text")
      .get("{other slot}")
      .get("{pl}:1")
      .zadd("{third slot}", { score: 1, member: "m" })
      .exec({ keepErrors: true });
    expect(results.map(({ error }) => error)).toEqual([
      undefined,
      expect.stringContaining("not an integer"),
      undefined,
      undefined,
      undefined,
    ]);
    expect(results.map(({ result }) => result)).toEqual(["OK", undefined, null, "one", 1]);
  });

  it("runs a transaction as a whole", async () => {
    const results = await redis
      .multi()
      .set("{tx}", 1)
      .incr("{tx}")
      .get("{tx}")
      .hget("{tx}", "f")
      .exec({ keepErrors: true });
    expect(results.map(({ result }) => result)).toEqual(["OK", 2, 2, undefined]);
    expect(results[3]?.error).toContain("WRONGTYPE");
    await expect(
      redis
        .multi()
        .set("{tx}", 5)
        .exec()
        .then(() => redis.get("{tx}")),
    ).resolves.toBe(5);
    const broken = await bridge.post("/multi-exec", [["SET", "{tx}", "6"], ["GET"]]);
    expect(broken).toMatchObject({
      status: 400,
      json: { error: expect.stringMatching(/^EXECABORT .*wrong number of arguments/) },
    });
    expect(await redis.get("{tx}")).toBe(5);
  });

  it("serves automatic pipelining", async () => {
    const auto = bridge.client({ enableAutoPipelining: true });
    const values = await Promise.all(Array.from({ length: 50 }, (_, index) => auto.set(`auto:${index}`, index)));
    expect(values).toEqual(Array.from({ length: 50 }, () => "OK"));
    expect(await Promise.all(Array.from({ length: 50 }, (_, index) => auto.get(`auto:${index}`)))).toEqual(
      Array.from({ length: 50 }, (_, index) => index),
    );
  });

  it("finds every key by SCAN and counts them by DBSIZE", async () => {
    // In portions: a busy machine must not take longer for one of them than the bridge waits.
    for (let first = 0; first < 300; first += 30)
      await Promise.all(Array.from({ length: 30 }, (_, index) => redis.set(`scan:${first + index}`, 1)));
    const found = new Set<string>();
    let cursor = "0";
    do {
      const [next, keys] = await redis.scan(cursor, { match: "scan:*", count: 20 });
      for (const key of keys) found.add(key);
      cursor = next;
    } while (cursor !== "0");
    expect(found.size).toBe(300);
    expect(await redis.dbsize()).toBeGreaterThanOrEqual(300);
  });

  it("returns the error of Redis to its caller", async () => {
    await redis.set("{err}", "text");
    await expect(redis.lpush("{err}", "x")).rejects.toThrow("WRONGTYPE");
    expect(await bridge.post("/", ["GET"])).toMatchObject({
      status: 400,
      json: { error: "ERR wrong number of arguments for 'get' command" },
    });
  });

  it("delivers published messages, pattern or name, and stops when the caller goes", async () => {
    const got: unknown[] = [];
    const byName = redis.subscribe<unknown>(["news", "weather"]);
    const byPattern = redis.psubscribe<unknown>(["ne*"]);
    byName.on("message", (event) => got.push(event));
    byPattern.on("pmessage", (event) => got.push(event));
    const ready = [
      new Promise((resolve) => byName.on("subscribe", resolve)),
      new Promise((resolve) => byPattern.on("psubscribe", resolve)),
    ];
    await Promise.all(ready);
    await until(async () => (await redis.publish("weather", "probe")) > 0);
    await redis.publish("news", { text: "ahoj 🐎, světe" });
    const message = { text: "ahoj 🐎, světe" };
    await until(() => got.filter((event) => JSON.stringify(event).includes("ahoj")).length === 2);
    expect(got).toContainEqual({ channel: "news", message });
    expect(got).toContainEqual({ pattern: "ne*", channel: "news", message });
    await byName.unsubscribe();
    await byPattern.unsubscribe();
    await until(async () => (await redis.publish("news", "nobody")) === 0);
  });
});
