import { afterAll, beforeAll, expect, it } from "vitest";
import { borrowRedisCluster } from "../../kit/borrowed-servers.ts";
import {
  FULL_TOKEN,
  isHealthy,
  READ_ONLY_TOKEN,
  startTestBridge,
  type TestBridge,
  until,
} from "../../kit/test-bridge.ts";

/** Cluster-specific behaviour; `upstash-client.test.ts` runs the whole client over a cluster. */
let cluster: Awaited<ReturnType<typeof borrowRedisCluster>>;
let bridge: TestBridge;
beforeAll(async () => {
  cluster = await borrowRedisCluster();
  const [first] = cluster.nodes;
  bridge = await startTestBridge({
    redisUrls: [`redis://${first?.host}:${first?.port}`],
    isCluster: true,
    allow: ["FLUSHALL", "KEYS"],
  });
  await until(() => isHealthy(bridge));
});
afterAll(async () => {
  await bridge.stop();
});

it("splits a pipeline over the nodes and answers in the order of the commands", async () => {
  const keys = Array.from({ length: 60 }, (_, index) => `spread:${index}`);
  const writes = await bridge.post(
    "/pipeline",
    keys.map((key, index) => ["SET", key, index]),
  );
  expect(writes.json).toEqual(keys.map(() => ({ result: "OK" })));
  const reads = await bridge.post(
    "/pipeline",
    keys.map((key) => ["GET", key]),
  );
  expect(reads.json).toEqual(keys.map((_, index) => ({ result: String(index) })));
});

it("keeps a pipeline's order on each key", async () => {
  const { json } = await bridge.post("/pipeline", [
    ["SET", "order", 1],
    ["INCR", "order"],
    ["SET", "elsewhere", 1],
    ["INCR", "order"],
  ]);
  expect(json).toEqual([{ result: "OK" }, { result: 2 }, { result: "OK" }, { result: 3 }]);
});

it("refuses a transaction over several slots as Redis does, and runs none of it", async () => {
  const answer = await bridge.post("/multi-exec", [
    ["SET", "tx:a", 1],
    ["SET", "tx:b", 1],
  ]);
  expect(answer).toMatchObject({
    status: 400,
    json: { error: "CROSSSLOT Keys in request don't hash to the same slot" },
  });
  expect(
    (
      await bridge.post("/pipeline", [
        ["EXISTS", "tx:a"],
        ["EXISTS", "tx:b"],
      ])
    ).json,
  ).toEqual([{ result: 0 }, { result: 0 }]);
});

it("refuses a command over several slots as Redis does", async () => {
  expect(await bridge.post("/", ["MGET", "a", "b", "c"])).toMatchObject({
    status: 400,
    json: { error: expect.stringMatching(/^CROSSSLOT/) },
  });
});

it("answers a transaction in base64, binary and nested", async () => {
  const bytes = Buffer.from([0xff, 0, 0xfe]);
  await fetch(`${bridge.url}/set/%7Btx%7D`, {
    method: "POST",
    body: bytes,
    headers: { authorization: `Bearer ${FULL_TOKEN}` },
  });
  const { json } = await bridge.post(
    "/multi-exec",
    [
      ["GET", "{tx}"],
      ["RPUSH", "{tx}:l", "a", "b"],
      ["LRANGE", "{tx}:l", 0, -1],
    ],
    {
      "upstash-encoding": "base64",
    },
  );
  expect(json).toEqual([{ result: bytes.toString("base64") }, { result: 2 }, { result: ["YQ==", "Yg=="] }]);
});

it.each([
  [["GET"]],
  [["EVAL", "return 1"]],
  [["EVAL", "return 1", 1_000_000_000]],
  [["EVAL", "return 1", "x"]],
  [["EVAL", "return 1", -1]],
  [["ZUNIONSTORE", "d", 5, "a"]],
  [["XREAD", "STREAMS"]],
  [["MSET", "a"]],
])("gives Redis's error for a command without its keys: %j", async (command) => {
  expect(await bridge.post("/", command)).toMatchObject({
    status: 400,
    json: { error: expect.stringMatching(/^ERR /) },
  });
  expect(await bridge.post("/multi-exec", [command])).toMatchObject({ status: 400 });
  expect(await bridge.post("/", ["PING"])).toMatchObject({ status: 200 });
});

it("means the whole cluster by SCRIPT, DBSIZE, KEYS and FLUSHALL", async () => {
  await bridge.post("/", ["FLUSHALL"]);
  await bridge.post(
    "/pipeline",
    Array.from({ length: 30 }, (_, index) => ["SET", `all:${index}`, 1]),
  );
  expect((await bridge.post("/", ["DBSIZE"])).json).toEqual({ result: 30 });
  const { json } = await bridge.post("/", ["KEYS", "all:*"]);
  expect((json as { result: string[] }).result).toHaveLength(30);
  const loaded = await bridge.post("/", ["SCRIPT", "LOAD", "return ARGV[1]"]);
  const { result: sha } = loaded.json as { result: string };
  const runs = await bridge.post(
    "/pipeline",
    Array.from({ length: 30 }, (_, index) => ["EVALSHA", sha, 1, `all:${index}`, index]),
  );
  expect(runs.json).toEqual(Array.from({ length: 30 }, (_, index) => ({ result: String(index) })));
  expect((await bridge.post("/", ["FLUSHALL"])).json).toEqual({ result: "OK" });
  expect((await bridge.post("/", ["DBSIZE"])).json).toEqual({ result: 0 });
});

it("refuses a cursor that is none", async () => {
  for (const cursor of ["x", -1, "", "9".repeat(60)]) {
    expect(await bridge.post("/", ["SCAN", cursor])).toMatchObject({
      status: 400,
      json: { error: "ERR invalid cursor" },
    });
  }
});

it("holds the read-only token and the table against a cluster, too", async () => {
  const readOnly = { authorization: `Bearer ${READ_ONLY_TOKEN}` };
  const { json } = await bridge.post(
    "/pipeline",
    [
      ["GET", "a"],
      ["SET", "a", 1],
      ["CONFIG", "GET", "*"],
    ],
    readOnly,
  );
  expect(json).toEqual([
    { result: null },
    { error: expect.stringMatching(/^NOPERM/) },
    { error: expect.stringContaining("not available") },
  ]);
});
