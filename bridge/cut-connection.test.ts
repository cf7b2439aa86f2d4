import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server } from "node:net";
import { Redis } from "ioredis";
import { afterAll, beforeAll, expect, it } from "vitest";
import { borrowRedis, type TestServer } from "../kit/borrowed-servers.ts";
import { FULL_TOKEN, isHealthy, startTestBridge, type TestBridge, until } from "../kit/test-bridge.ts";

/** A wire to Redis that breaks in the middle of a reply: after `cutAfterBytes` of what Redis says next. */
let server: TestServer;
let wire: Server;
let bridge: TestBridge;
let redis: Redis;
let cutAfterBytes: number | undefined;

beforeAll(async () => {
  server = await borrowRedis({ fsync: "no" });
  redis = new Redis(server.url);
  wire = createServer((caller) => {
    const target = connect(server.port, "127.0.0.1");
    const end = () => {
      caller.destroy();
      target.destroy();
    };
    caller.on("error", end).on("close", end).pipe(target);
    target.on("error", end).on("close", end);
    target.on("data", (bytes) => {
      if (cutAfterBytes === undefined) return void caller.write(bytes);
      caller.end(bytes.subarray(0, cutAfterBytes), () => target.destroy());
      cutAfterBytes = undefined;
    });
  }).listen(0, "127.0.0.1");
  await once(wire, "listening");
  bridge = await startTestBridge({ redisUrls: [`redis://127.0.0.1:${(wire.address() as AddressInfo).port}`] });
  await until(() => isHealthy(bridge));
});
afterAll(async () => {
  await bridge.stop();
  redis.disconnect();
  wire.close();
});

it.each([0, 1, 3, 40])(
  "answers 503 when the reply is cut after %d bytes, and reads the next one from its beginning",
  async (bytes) => {
    const value = "a value of some length ".repeat(10);
    await redis.set("cut", value);
    cutAfterBytes = bytes;
    const answer = await bridge.post("/", ["GET", "cut"]);
    expect(answer).toMatchObject({ status: 503, json: { error: expect.stringContaining("was lost") } });
    await until(() => isHealthy(bridge));
    expect((await bridge.post("/", ["GET", "cut"])).json).toEqual({ result: value });
  },
);

it("does not send a command again whose reply was lost", async () => {
  cutAfterBytes = 0;
  expect(await bridge.post("/", ["INCR", "once"])).toMatchObject({ status: 503 });
  await until(() => isHealthy(bridge));
  expect(await redis.get("once")).toBe("1");
});

it("resumes a subscription whose message was cut", async () => {
  const controller = new AbortController();
  const headers = { authorization: `Bearer ${FULL_TOKEN}` };
  const response = await fetch(`${bridge.url}/subscribe/c`, { headers, signal: controller.signal });
  let seen = "";
  const reading = (async () => {
    for await (const chunk of response.body ?? []) seen += Buffer.from(chunk as Uint8Array).toString();
  })().catch(() => {});
  await until(() => seen.includes("subscribe,c,1"));
  cutAfterBytes = 30;
  await redis.publish("c", "cut in the middle");
  await until(() => seen.split("subscribe,c,1").length === 3);
  await redis.publish("c", "whole");
  await until(() => seen.includes("whole"));
  expect(seen).toBe("data: subscribe,c,1\n\ndata: subscribe,c,1\n\ndata: message,c,whole\n\n");
  controller.abort();
  await reading;
});
