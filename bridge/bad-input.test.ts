import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { borrowRedis, type TestServer } from "../kit/borrowed-servers.ts";
import { FULL_TOKEN, isHealthy, startTestBridge, type TestBridge, until } from "../kit/test-bridge.ts";

let server: TestServer;
let bridge: TestBridge;
beforeAll(async () => {
  server = await borrowRedis({ fsync: "no" });
  bridge = await startTestBridge({ redisUrls: [server.url] });
  await until(() => isHealthy(bridge));
});
afterAll(async () => {
  await bridge.stop();
});

describe("what is not a command", () => {
  const deep = "[".repeat(40_000) + "]".repeat(40_000);
  it.each([
    ["nothing", ""],
    ["no JSON", "[1"],
    ["an object", "{}"],
    ["a string", '"GET"'],
    ["null", "null"],
    ["an empty array", "[]"],
    ["a number for a name", "[1]"],
    ["null for an argument", '["SET","k",null]'],
    ["an object for an argument", '["SET","k",{"a":1}]'],
    ["an array for an argument", '["SET","k",["a"]]'],
    ["a prototype for an argument", '["SET","k",{"__proto__":{"toString":1}}]'],
    ["depth", deep],
    ["a depth inside", `["SET","k",${deep}]`],
    ["an empty name", '[""]'],
    ["a name from the prototype", '["__proto__"]'],
    ["another name from the prototype", '["constructor"]'],
    ["a lone surrogate for a name", '["\\ud800"]'],
  ])("gets 400: %s", async (_name, body) => {
    const answer = await bridge.post("/", body);
    expect(answer).toMatchObject({ status: 400, json: { error: expect.stringMatching(/^ERR /) } });
  });

  it.each(["", "{}", "[]", '["GET","k"]', "[[]]", '[["GET","k"],null]', '[["GET","k"],["SET","k",{}]]', deep])(
    "gets 400 as a pipeline and as a transaction: %.40s",
    async (body) => {
      for (const path of ["/pipeline", "/multi-exec"]) {
        expect(await bridge.post(path, body)).toMatchObject({
          status: 400,
          json: { error: expect.stringMatching(/^ERR /) },
        });
      }
    },
  );

  it("gets an error that names the fault", async () => {
    expect((await bridge.post("/", "[]")).json).toEqual({ error: "ERR empty command" });
    expect((await bridge.post("/pipeline", "[[]]")).json).toEqual({ error: "ERR empty command" });
    expect((await bridge.post("/multi-exec", "[]")).json).toEqual({ error: "ERR there is no command in the body" });
  });

  it("gets 400 when it is not UTF-8", async () => {
    const body = Buffer.from('["SET","k","\xff"]', "latin1");
    const response = await fetch(bridge.url, {
      method: "POST",
      body,
      headers: { authorization: `Bearer ${FULL_TOKEN}` },
    });
    expect(response.status).toBe(400);
  });

  it("gets 405 by a method that is not served, and 400 for a format we do not speak", async () => {
    const response = await fetch(`${bridge.url}/get/x`, { method: "DELETE" });
    expect(response.status).toBe(405);
    expect(await bridge.post("/", ["PING"], { "upstash-response-format": "resp2" })).toMatchObject({ status: 400 });
    expect(await bridge.post("/", ["PING"], { "upstash-response-format": "json" })).toMatchObject({ status: 200 });
  });
});
