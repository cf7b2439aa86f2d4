import { once } from "node:events";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { borrowRedis, type TestServer } from "../kit/borrowed-servers.ts";
import { FULL_TOKEN, isHealthy, startTestBridge, type TestBridge, until } from "../kit/test-bridge.ts";

const BODY_BYTES_MAX = 100_000;

let server: TestServer;
let bridge: TestBridge;
beforeAll(async () => {
  server = await borrowRedis({ fsync: "no" });
  bridge = await startTestBridge({ redisUrls: [server.url], bodyBytesMax: BODY_BYTES_MAX });
  await until(() => isHealthy(bridge));
});
afterAll(async () => {
  await bridge.stop();
});

const BASE64 = { "upstash-encoding": "base64" };

async function get(
  path: string,
  headers: Readonly<Record<string, string>> = { authorization: `Bearer ${FULL_TOKEN}` },
) {
  const response = await fetch(bridge.url + path, { headers });
  return { status: response.status, json: (await response.json()) as unknown };
}

describe("a command as a path", () => {
  it.each([
    ["/set/path:1/value", { result: "OK" }],
    ["/get/path:1", { result: "value" }],
    ["/SET/path:2/a%20b%2Fc/EX/100", { result: "OK" }],
    ["/get/path:2", { result: "a b/c" }],
    ["/ttl/path:2", { result: 100 }],
    ["/set/path:3/v?EX=100&NX", { result: "OK" }],
    ["/ttl/path:3", { result: 100 }],
    ["/set/path:3/v?NX", { result: null }],
    ["/set/path:4/", { result: "OK" }],
    ["/strlen/path:4", { result: 0 }],
    ["/mget/path:1/none", { result: ["value", null] }],
  ])("runs GET %s", async (path, json) => {
    expect(await get(path)).toEqual({ status: 200, json });
  });

  it("takes the body as the argument before the query's", async () => {
    expect((await bridge.post("/set/posted?EX=50", "the body, & all")).json).toEqual({ result: "OK" });
    expect((await bridge.post("/get/posted")).json).toEqual({ result: "the body, & all" });
    expect((await bridge.post("/ttl/posted")).json).toEqual({ result: 50 });
  });

  it("keeps bytes that are not text, on the way in and out", async () => {
    const bytes = Buffer.from([0, 255, 254, 128, 13, 10, 200]);
    const response = await fetch(`${bridge.url}/set/binary`, {
      method: "PUT",
      body: bytes,
      headers: { authorization: `Bearer ${FULL_TOKEN}` },
    });
    expect(await response.json()).toEqual({ result: "OK" });
    expect((await bridge.post("/", ["GET", "binary"], BASE64)).json).toEqual({ result: bytes.toString("base64") });
    expect(await get("/set/binary%fe/%ff%00")).toMatchObject({ status: 200 });
    expect((await bridge.post("/get/binary%fe", undefined, BASE64)).json).toEqual({
      result: Buffer.from([255, 0]).toString("base64"),
    });
  });

  it("refuses a path that is not percent-encoded", async () => {
    expect(await get("/get/%zz")).toMatchObject({ status: 400 });
    expect(await get("/")).toMatchObject({ status: 400 });
  });
});

describe("base64 answers", () => {
  it("encodes every string but a plain OK, numbers and nulls stay", async () => {
    const script = "return {'a', 1, false, {ok = 'OK'}, {'b', {err = 'ERR inside'}}}";
    expect((await bridge.post("/", ["EVAL", script, 0], BASE64)).json).toEqual({
      result: ["YQ==", 1, null, "T0s=", ["Yg==", Buffer.from("ERR inside").toString("base64")]],
    });
    expect((await bridge.post("/", ["SET", "b64", "OK"], BASE64)).json).toEqual({ result: "OK" });
    expect((await bridge.post("/", ["GET", "b64"], BASE64)).json).toEqual({ result: "T0s=" });
    expect((await bridge.post("/", ["EVAL", "return {ok = 'OKAY'}", 0], BASE64)).json).toEqual({ result: "T0tBWQ==" });
    expect((await bridge.post("/", ["PING"], BASE64)).json).toEqual({ result: "UE9ORw==" });
  });

  it("leaves errors readable", async () => {
    const { status, json } = await bridge.post(
      "/pipeline",
      [
        ["INCR", "b64"],
        ["GET", "b64"],
      ],
      BASE64,
    );
    expect({ status, json }).toEqual({
      status: 200,
      json: [{ error: "ERR value is not an integer or out of range" }, { result: "T0s=" }],
    });
  });
});

describe("arguments", () => {
  it.each([
    ["13", "13"],
    ["-0.5", "-0.5"],
    ["1.0", "1.0"],
    ["12345678901234567890", "12345678901234567890"],
    ["1e3", "1e3"],
    ["true", "true"],
    ["false", "false"],
    ['"\\u017e\\ud83d\\udc0e"', "ž🐎"],
    ['"\\n\\"\\\\"', '\n"\\'],
  ])("reach Redis as they were written: %s", async (json, stored) => {
    expect(await bridge.post("/", `["SET", "number", ${json}]`)).toMatchObject({ status: 200 });
    expect((await bridge.post("/", ["GET", "number"])).json).toEqual({ result: stored });
  });

  it("keep their text one after the other", async () => {
    await bridge.post("/", '["RPUSH", "numbers", 1, 2.0, -0, 98765432109876543210, 1E2, "3.0"]');
    const { json } = await bridge.post("/", ["LRANGE", "numbers", 0, -1]);
    expect(json).toEqual({ result: ["1", "2.0", "-0", "98765432109876543210", "1E2", "3.0"] });
  });

  it("are not taken for numbers inside a text", async () => {
    expect(await bridge.post("/", ["SET", "text", '"k", 1.0, 12345678901234567890'])).toMatchObject({ status: 200 });
    expect((await bridge.post("/", ["GET", "text"])).json).toEqual({ result: '"k", 1.0, 12345678901234567890' });
  });
});

describe("bounds", () => {
  it("takes a body of the limit and answers 413 beyond it, by length and in chunks", async () => {
    const value = "x".repeat(BODY_BYTES_MAX - '["SET","big",""]'.length);
    expect(await bridge.post("/", ["SET", "big", value])).toMatchObject({ status: 200 });
    expect(await bridge.post("/", ["SET", "big", `${value}y`])).toMatchObject({ status: 413 });
    expect((await bridge.post("/", ["STRLEN", "big"])).json).toEqual({ result: value.length });
    expect(await sendInChunks(BODY_BYTES_MAX * 20)).toMatch(/^HTTP\/1.1 413 .*HTTP\/1.1 200 OK.*"PONG"/s);
  });

  /** Sends a body in chunks and, on the same connection, a second request; returns all that came back. */
  async function sendInChunks(bytes: number): Promise<string> {
    const socket = connect(bridge.port, "127.0.0.1");
    await once(socket, "connect");
    const answer = text(socket);
    const head = `HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${FULL_TOKEN}\r\n`;
    socket.write(`POST / ${head}transfer-encoding: chunked\r\n\r\n`);
    for (let sent = 0; sent < bytes; sent += 1_000) socket.write(`3e8\r\n${"x".repeat(1_000)}\r\n`);
    socket.write("0\r\n\r\n");
    socket.write(`GET /ping ${head}connection: close\r\n\r\n`);
    return answer;
  }

  it("refuses a reply that is nested too deep, and keeps serving", async () => {
    const script = "local t = {1} for i = 1, 500 do t = {t} end return t";
    expect(await bridge.post("/", ["EVAL", script, 0])).toMatchObject({
      status: 400,
      json: { error: expect.stringContaining("nested") },
    });
    expect(await bridge.post("/", ["PING"])).toMatchObject({ status: 200 });
  });

  it("answers many callers at once, each with what it asked", async () => {
    await Promise.all(
      Array.from({ length: 200 }, (_, index) => bridge.post("/", ["SET", `many:${index}`, `value ${index}`])),
    );
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, index) => bridge.post("/", ["GET", `many:${index}`])),
    );
    expect(answers.map(({ json }) => json)).toEqual(
      Array.from({ length: 200 }, (_, index) => ({ result: `value ${index}` })),
    );
  });

  it("carries a long reply of many elements", async () => {
    // In portions: a busy machine must not take longer for one of them than the bridge waits.
    await bridge.post("/", ["DEL", "long"]);
    const portion =
      "for i = 1, 5000 do redis.call('RPUSH', KEYS[1], 'element ' .. redis.call('LLEN', KEYS[1]) + 1) end";
    for (let portions = 0; portions < 10; portions++) await bridge.post("/", ["EVAL", portion, 1, "long"]);
    const { json } = await bridge.post("/", ["LRANGE", "long", 0, -1]);
    const { result } = json as { result: string[] };
    expect(result).toHaveLength(50_000);
    expect(result[49_999]).toBe("element 50000");
  });
});
