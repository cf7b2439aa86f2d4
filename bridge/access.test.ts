import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { borrowRedis, type TestServer } from "../kit/borrowed-servers.ts";
import { FULL_TOKEN, isHealthy, READ_ONLY_TOKEN, startTestBridge, type TestBridge, until } from "../kit/test-bridge.ts";

let server: TestServer;
let bridge: TestBridge;
beforeAll(async () => {
  server = await borrowRedis({ fsync: "no" });
  bridge = await startTestBridge({ redisUrls: [server.url], allow: ["FLUSHALL"] });
  await until(() => isHealthy(bridge));
});
afterAll(async () => {
  await bridge.stop();
});

async function get(path: string, headers: Readonly<Record<string, string>>) {
  const response = await fetch(bridge.url + path, { headers });
  return { status: response.status, json: (await response.json()) as unknown };
}

describe("tokens", () => {
  it.each([
    ["none", {}],
    ["another", { authorization: "Bearer another" }],
    ["an empty one", { authorization: "Bearer " }],
    ["the right one and more", { authorization: `Bearer ${FULL_TOKEN}x` }],
    ["the right one cut", { authorization: `Bearer ${FULL_TOKEN.slice(0, -1)}` }],
    ["the right one by another scheme", { authorization: `Basic ${FULL_TOKEN}` }],
    ["a very long one", { authorization: `Bearer ${"x".repeat(5_000)}` }],
  ])("refuses %s", async (_name, headers) => {
    expect(await get("/get/x", headers)).toEqual({
      status: 401,
      json: { error: "WRONGPASS invalid or missing auth token" },
    });
  });

  it("takes the token as a parameter, which is never an argument", async () => {
    expect(await get(`/set/by-parameter/v?_token=${FULL_TOKEN}&EX=9`, {})).toEqual({
      status: 200,
      json: { result: "OK" },
    });
    expect(await get("/get/x?_token=wrong", {})).toMatchObject({ status: 401 });
    expect(await get(`/get/x?_token=${FULL_TOKEN}%00`, {})).toMatchObject({ status: 401 });
  });

  it("answers health without one", async () => {
    expect(await get("/health", {})).toEqual({ status: 200, json: { status: "ok" } });
  });
});

describe("the read-only token", () => {
  const readOnly = { authorization: `Bearer ${READ_ONLY_TOKEN}` };

  it.each([
    [["GET", "x"]],
    [["HGETALL", "x"]],
    [["XRANGE", "x", "-", "+"]],
    [["eval_ro", "return 1", 0]],
    [["OBJECT", "ENCODING", "x"]],
  ])("runs %j", async (command) => {
    expect(await bridge.post("/", command, readOnly)).toMatchObject({ status: 200 });
  });

  it.each([
    [["SET", "ro", "v"]],
    [["del", "ro"]],
    [["EVAL", "return 1", 0]],
    [["SCRIPT", "LOAD", "return 1"]],
    [["PUBLISH", "c", "m"]],
    [["GETEX", "ro", "EX", 1]],
    [["SORT", "ro", "STORE", "other"]],
    [["SCAN", 0]],
    [["INFO"]],
    [["FLUSHALL"]],
  ])("may not run %j", async (command) => {
    const answer = await bridge.post("/", command, readOnly);
    expect(answer).toMatchObject({ status: 400, json: { error: expect.stringMatching(/^NOPERM/) } });
  });

  it("cannot write from inside a read-only script", async () => {
    const answer = await bridge.post(
      "/",
      ["EVAL_RO", "return redis.call('SET', KEYS[1], 1)", 1, "ro:written"],
      readOnly,
    );
    expect(answer.status).toBe(400);
    expect((await bridge.post("/", ["EXISTS", "ro:written"])).json).toEqual({ result: 0 });
  });

  it("is refused member by member in a pipeline, as a whole in a transaction, and for subscriptions", async () => {
    const work = [
      ["GET", "none"],
      ["SET", "ro:2", "v"],
    ];
    const pipeline = await bridge.post("/pipeline", work, readOnly);
    expect(pipeline).toMatchObject({
      status: 200,
      json: [{ result: null }, { error: expect.stringMatching(/^NOPERM/) }],
    });
    expect(await bridge.post("/multi-exec", work, readOnly)).toMatchObject({ status: 400 });
    expect(await bridge.post("/subscribe/c", undefined, readOnly)).toMatchObject({ status: 400 });
    expect((await bridge.post("/", ["EXISTS", "ro:2"])).json).toEqual({ result: 0 });
  });
});

describe("commands that would harm others", () => {
  it.each(
    "CONFIG|GET|* SHUTDOWN DEBUG|SLEEP|9 FLUSHDB KEYS|* SAVE BGSAVE BGREWRITEAOF REPLICAOF|no|one CLUSTER|RESET ACL|LIST MIGRATE MODULE|LIST SWAPDB|0|1 LATENCY|RESET SLOWLOG|GET SCRIPT|DEBUG|YES FUNCTION|FLUSH XINFO|HELP SELECT|1 AUTH|x HELLO|3 RESET QUIT CLIENT|REPLY|OFF READONLY MULTI EXEC DISCARD WATCH|k UNWATCH SUBSCRIBE|c PSUBSCRIBE|c SSUBSCRIBE|c MONITOR SYNC BLPOP|l|0 BRPOP|l|0 BLMOVE|a|b|LEFT|LEFT|0 BLMPOP|0|1|l|LEFT BZPOPMIN|z|0 WAIT|1|0 XREAD|BLOCK|0|STREAMS|x|$ xread|COUNT|1|block|0|STREAMS|x|$ XREADGROUP|GROUP|g|c|BLOCK|0|STREAMS|x|> XREADGROUP|BLOCK|0|GROUP|g|c|STREAMS|x|> XREADGROUP|COUNT|1|GROUP|STREAMS|c|BLOCK|0|STREAMS|x|> XREAD|block\u0000|0|STREAMS|x|$ NOSUCHCOMMAND"
      .split(" ")
      .map((words) => [words.split("|")]),
  )("are refused: %j", async (command) => {
    const answer = await bridge.post("/", command);
    expect(answer).toMatchObject({ status: 400, json: { error: expect.stringMatching(/^ERR .*not available/) } });
  });

  it("accepts a stream, a group or a consumer named BLOCK", async () => {
    await bridge.post("/", ["XGROUP", "CREATE", "BLOCK", "BLOCK", "0", "MKSTREAM"]);
    expect(await bridge.post("/", ["XREADGROUP", "GROUP", "BLOCK", "BLOCK", "STREAMS", "BLOCK", ">"])).toMatchObject({
      status: 200,
    });
    const last = ["XREADGROUP", "COUNT", 1, "NOACK", "GROUP", "BLOCK", "BLOCK", "STREAMS", "BLOCK", ">"];
    expect(await bridge.post("/", last)).toMatchObject({ status: 200 });
  });

  it("do not run inside a transaction", async () => {
    expect(
      await bridge.post("/multi-exec", [
        ["SET", "tx:refused", "1"],
        ["CONFIG", "GET", "*"],
      ]),
    ).toMatchObject({ status: 400 });
    expect((await bridge.post("/", ["EXISTS", "tx:refused"])).json).toEqual({ result: 0 });
  });

  it("run when the operator allows them", async () => {
    expect(await bridge.post("/", ["FLUSHALL"])).toMatchObject({ status: 200, json: { result: "OK" } });
  });

  it("are named in errors without control characters", async () => {
    const { json } = await bridge.post("/", ["\r\nSET x\u0000🐎"]);
    expect(json).toEqual({ error: "ERR the command '??SET x???' is not available through this bridge" });
  });
});
