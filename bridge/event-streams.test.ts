import { Redis } from "ioredis";
import { afterAll, beforeAll, expect, it } from "vitest";
import { temporaryFolder } from "../kit/temporary-folder.ts";
import { FULL_TOKEN, isHealthy, startTestBridge, type TestBridge, until } from "../kit/test-bridge.ts";
import { type RedisServer, startRedisServer } from "../stack/servers/redis-server.ts";

const STREAMS_MAX = 3;

let folder: string;
let server: RedisServer;
let bridge: TestBridge;
let redis: Redis;
beforeAll(async () => {
  folder = await temporaryFolder();
  server = await startRedisServer({ folder, fsync: "no" });
  bridge = await startTestBridge({ redisUrls: [server.url], streamsMax: STREAMS_MAX, allow: ["MONITOR"] });
  redis = new Redis(server.url);
  redis.on("error", () => {});
  await until(() => isHealthy(bridge));
});
afterAll(async () => {
  redis.disconnect();
  await bridge.stop();
  await server.stop();
});

/** A reader that gathers a stream's text until it is aborted. */
async function openStream(path: string) {
  const controller = new AbortController();
  const headers = { authorization: `Bearer ${FULL_TOKEN}`, accept: "text/event-stream" };
  const response = await fetch(bridge.url + path, { method: "POST", body: "[]", headers, signal: controller.signal });
  const stream = { response, text: "", close: () => controller.abort() };
  void (async () => {
    const decoder = new TextDecoder();
    try {
      for await (const chunk of response.body ?? [])
        stream.text += decoder.decode(chunk as Uint8Array, { stream: true });
    } catch {
      // Aborted: what came before is what the test looks at.
    }
  })();
  return stream;
}

async function subscriberConnections(): Promise<number> {
  const list = await redis.call("CLIENT", "LIST", "TYPE", "pubsub");
  return String(list).split("\n").filter(Boolean).length;
}

it("streams what is published to the channels of the path, in the form the hosted service has", async () => {
  const stream = await openStream("/subscribe/news/weather");
  expect(stream.response.headers.get("content-type")).toBe("text/event-stream");
  await until(() => stream.text.includes("subscribe,weather,2"));
  await redis.publish("news", "hello, world");
  await redis.publish("other", "not for us");
  await redis.publish("weather", "rain ☔");
  await until(() => stream.text.includes("rain"));
  expect(stream.text).toBe(
    "data: subscribe,news,1\n\ndata: subscribe,weather,2\n\ndata: message,news,hello, world\n\ndata: message,weather,rain ☔\n\n",
  );
  stream.close();
  await until(async () => (await subscriberConnections()) === 0);
});

it("keeps a message of several lines one event", async () => {
  const stream = await openStream("/psubscribe/n*");
  await until(() => stream.text.includes("psubscribe,n*,1"));
  await redis.publish("news", "one\r\ntwo\n\nevent: forged");
  await until(() => stream.text.includes("forged"));
  expect(stream.text).toContain("data: pmessage,n*,news,one\ndata: two\ndata: \ndata: event: forged\n\n");
  stream.close();
});

it("bounds how many streams are open and takes a new one when one has gone", async () => {
  const streams = [];
  for (let count = 0; count < STREAMS_MAX; count++) streams.push(await openStream("/subscribe/c"));
  expect(await bridge.post("/subscribe/c")).toMatchObject({
    status: 503,
    json: { error: expect.stringContaining("too many") },
  });
  streams[0]?.close();
  await until(async () => {
    const stream = await openStream("/subscribe/c");
    stream.close();
    return stream.response.ok;
  });
  for (const stream of streams) stream.close();
  await until(async () => (await subscriberConnections()) === 0);
});

it("subscribes again after its Redis was unavailable, visibly for the caller", async () => {
  const stream = await openStream("/subscribe/c");
  await until(() => stream.text.includes("subscribe,c,1"));
  await server.stop();
  server = await startRedisServer({ folder, fsync: "no", port: server.port });
  await until(() => stream.text === "data: subscribe,c,1\n\ndata: subscribe,c,1\n\n");
  await until(async () => (await redis.publish("c", "after").catch(() => 0)) === 1);
  await until(() => stream.text.includes("message,c,after"));
  stream.close();
});

it("streams MONITOR where it is allowed, and only there", async () => {
  const stream = await openStream("/monitor");
  await until(() => stream.text.startsWith('data: "OK"\n\n'));
  await redis.set("seen", "by monitor");
  await until(() => stream.text.includes('"seen" "by monitor"'));
  stream.close();
  const strict = await startTestBridge({ redisUrls: [server.url] });
  expect(await strict.post("/monitor")).toMatchObject({
    status: 400,
    json: { error: expect.stringContaining("not available") },
  });
  await strict.stop();
});

it("refuses a subscription to nothing", async () => {
  expect(await bridge.post("/subscribe")).toMatchObject({
    status: 400,
    json: { error: expect.stringContaining("wrong number") },
  });
});
