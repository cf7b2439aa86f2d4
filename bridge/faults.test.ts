// @module-tag timing: the bridge answers within a second while its Redis is frozen or dead.
import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startRedisCluster } from "../kit/redis-cluster.ts";
import { steadyNowMs } from "../kit/steady-clock.ts";
import { temporaryFolder } from "../kit/temporary-folder.ts";
import { FULL_TOKEN, isHealthy, startTestBridge, type TestBridge, until } from "../kit/test-bridge.ts";
import { createLogger } from "../stack/program/log.ts";
import { type RedisServer, startRedisServer } from "../stack/servers/redis-server.ts";

const ANSWER_WITHIN_MS = 1_000;

async function timed<Value>(call: () => Promise<Value>): Promise<{ value: Value; tookMs: number }> {
  const startedAt = steadyNowMs();
  const value = await call();
  return { value, tookMs: steadyNowMs() - startedAt };
}

describe("one server", () => {
  let folder: string;
  let server: RedisServer;
  let bridge: TestBridge;
  beforeEach(async () => {
    folder = await temporaryFolder();
    server = await startRedisServer({ folder, fsync: "everysec" });
    bridge = await startTestBridge({ redisUrls: [server.url] });
    await until(() => isHealthy(bridge));
  });
  afterEach(async () => {
    await bridge.stop();
    await server.stop();
  });

  it("answers every request with 503 within a second while Redis is stopped, and recovers when it continues", async () => {
    process.kill(server.child.pid, "SIGSTOP");
    try {
      const calls = [
        () => bridge.post("/", ["GET", "x"]),
        () => bridge.post("/pipeline", [["GET", "x"]]),
        () => bridge.post("/multi-exec", [["GET", "x"]]),
        () => bridge.post("/get/x"),
        () => bridge.post("/subscribe/c"),
        () => bridge.post("/health"),
      ];
      const answers = await Promise.all(calls.map(timed));
      for (const { value, tookMs } of answers) {
        expect(value.status).toBe(503);
        expect(value.headers.get("retry-after")).toBe("1");
        expect(tookMs).toBeLessThan(ANSWER_WITHIN_MS);
      }
      expect(answers[0]?.value.json).toEqual({ error: expect.stringContaining("did not answer in time") });
    } finally {
      process.kill(server.child.pid, "SIGCONT");
    }
    await until(() => isHealthy(bridge));
    // Late replies are discarded: the next caller must not get one of them.
    expect((await bridge.post("/", ["ECHO", "fresh"])).json).toEqual({ result: "fresh" });
  });

  it("gives Redis the configured time", async () => {
    const started = [200, 30_000].map((requestTimeoutMs) =>
      startTestBridge({ redisUrls: [server.url], requestTimeoutMs }),
    );
    const bridges = await Promise.all(started);
    for (const each of bridges) await until(() => isHealthy(each));
    process.kill(server.child.pid, "SIGSTOP");
    const [early, late] = bridges.map((each) => each.post("/", ["ECHO", "late"]));
    try {
      expect((await early)?.json).toEqual({ error: expect.stringContaining("did not answer in time") });
      // A bridge with the default timeout gives up in the meantime.
      expect((await bridge.post("/", ["PING"])).status).toBe(503);
    } finally {
      process.kill(server.child.pid, "SIGCONT");
    }
    expect((await late)?.json).toEqual({ result: "late" });
    for (const each of bridges) await each.stop();
  });

  it("answers 503 at once while Redis is gone, and works again by itself when it is back", async () => {
    await bridge.post("/", ["SET", "kept", "value"]);
    await until(async () => (await bridge.post("/", ["INFO", "persistence"])).json !== undefined);
    await server.stop();
    const { value, tookMs } = await timed(() => bridge.post("/", ["GET", "kept"]));
    expect(value).toMatchObject({ status: 503, json: { error: expect.stringContaining("Redis server") } });
    expect(tookMs).toBeLessThan(ANSWER_WITHIN_MS);
    expect(await isHealthy(bridge)).toBe(false);
    server = await startRedisServer({ folder, fsync: "everysec", port: server.port });
    await until(() => isHealthy(bridge));
    expect((await bridge.post("/", ["GET", "kept"])).json).toEqual({ result: "value" });
  });

  it("fails pending requests when Redis is killed", async () => {
    process.kill(server.child.pid, "SIGSTOP");
    const answers = Array.from({ length: 5 }, () => timed(() => bridge.post("/", ["INCR", "n"])));
    await new Promise((resolve) => setTimeout(resolve, 100));
    process.kill(server.child.pid, "SIGKILL");
    for (const { value, tookMs } of await Promise.all(answers)) {
      expect(value.status).toBe(503);
      expect(tookMs).toBeLessThan(ANSWER_WITHIN_MS);
    }
  });

  it("logs once why its Redis is unavailable, however often it tries", async () => {
    const lines: string[] = [];
    let attempts = 0;
    const refusing = createServer((socket) => {
      attempts++;
      socket.on("error", () => {});
      socket.end("-ERR not today\r\n");
    }).listen(0, "127.0.0.1");
    await once(refusing, "listening");
    const { port } = refusing.address() as AddressInfo;
    const log = createLogger("bridge", { write: (line) => lines.push(line) });
    const other = await startTestBridge({ redisUrls: [`redis://127.0.0.1:${port}`], log });
    await until(() => attempts >= 5);
    await other.stop();
    refusing.close();
    expect(lines.filter((line) => line.includes("not today"))).toHaveLength(1);
    expect(lines.length).toBeLessThan(5);
  });

  it("starts without its Redis and finds it later", async () => {
    await server.stop();
    const early = await startTestBridge({ redisUrls: [server.url] });
    expect(await isHealthy(early)).toBe(false);
    expect(await early.post("/", ["PING"])).toMatchObject({ status: 503 });
    server = await startRedisServer({ folder, fsync: "everysec", port: server.port });
    await until(() => isHealthy(early));
    await early.stop();
  });

  it("is not hurt by callers that go in the middle of a request", async () => {
    const head = `POST / HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${FULL_TOKEN}\r\ncontent-length: `;
    const command = JSON.stringify(["EVAL", "for i = 1, 1e5 do end return string.rep('x', 1e6)", 0]);
    for (let caller = 0; caller < 20; caller++) {
      const socket = connect(bridge.port, "127.0.0.1");
      await once(socket, "connect");
      socket.write(
        caller % 2 === 0 ? `${head}500\r\n\r\n["SET","never",` : `${head}${command.length}\r\n\r\n${command}`,
      );
      await new Promise((resolve) => setImmediate(resolve));
      socket.resetAndDestroy();
    }
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => bridge.post("/", ["ECHO", String(index)])),
    );
    expect(answers.map(({ json }) => json)).toEqual(answers.map((_, index) => ({ result: String(index) })));
    expect((await bridge.post("/", ["EXISTS", "never"])).json).toEqual({ result: 0 });
  });

  it("stops within two seconds with a subscription open and a request under way", async () => {
    const other = await startTestBridge({ redisUrls: [server.url] });
    await until(() => isHealthy(other));
    const headers = { authorization: `Bearer ${FULL_TOKEN}` };
    const stream = await fetch(`${other.url}/subscribe/c`, { headers });
    expect(stream.status).toBe(200);
    process.kill(server.child.pid, "SIGSTOP");
    const underWay = other.post("/", ["PING"]).catch(() => undefined);
    const { tookMs } = await timed(() => other.stop());
    process.kill(server.child.pid, "SIGCONT");
    expect(tookMs).toBeLessThan(2_000);
    await stream.text();
    await underWay;
  });
});

// At once, because a connection is given time before it is given up.
describe.concurrent("a connection that stays silent is given up", () => {
  it("so that a server behind a dead path is found again", async () => {
    const server = await startRedisServer({ folder: await temporaryFolder(), fsync: "everysec" });
    const bridge = await startTestBridge({ redisUrls: [server.url] });
    try {
      await until(() => isHealthy(bridge));
      process.kill(server.child.pid, "SIGSTOP");
      expect((await bridge.post("/", ["SET", "late", "1"])).status).toBe(503);
      await until(async () => {
        const { json } = await bridge.post("/", ["PING"]);
        return (json as { error: string }).error.includes("cannot be reached");
      });
      process.kill(server.child.pid, "SIGCONT");
      await until(() => isHealthy(bridge));
    } finally {
      process.kill(server.child.pid, "SIGCONT");
      await bridge.stop();
      await server.stop();
    }
  });

  it("so is that to a node of a cluster: 503 within a second for its keys, and the others are served", async () => {
    const cluster = await startRedisCluster(await temporaryFolder());
    const nodes = cluster.nodes.map(({ host, port }) => `redis://${host}:${port}`);
    const bridge = await startTestBridge({ redisUrls: [nodes[0] ?? "", ...nodes.slice(1)], isCluster: true });
    try {
      await until(() => isHealthy(bridge));
      const pid = Number(await infoOfNodeWith(bridge, "{still}", "process_id"));
      const pids = await Promise.all(
        ["{a}", "{b}", "{c}", "{d}"].map((key) => infoOfNodeWith(bridge, key, "process_id")),
      );
      const moving = ["{a}", "{b}", "{c}", "{d}"][pids.findIndex((other) => Number(other) !== pid)] ?? "";
      const connectionsBefore = await infoOfNodeWith(bridge, "{still}", "total_connections_received");
      process.kill(pid, "SIGSTOP");
      const stoppedAt = steadyNowMs();
      try {
        const [still, transaction, other] = await Promise.all([
          timed(() => bridge.post("/", ["GET", "{still}"])),
          timed(() => bridge.post("/multi-exec", [["GET", "{still}"]])),
          timed(() => bridge.post("/", ["GET", moving])),
        ]);
        expect([still.value.status, transaction.value.status, other.value.status]).toEqual([503, 503, 200]);
        expect(Math.max(still.tookMs, transaction.tookMs, other.tookMs)).toBeLessThan(ANSWER_WITHIN_MS);
        expect(await isHealthy(bridge)).toBe(false);
        // Longer than a connection may be silent.
        while (steadyNowMs() - stoppedAt < 6_500) expect((await bridge.post("/", ["GET", "{still}"])).status).toBe(503);
      } finally {
        process.kill(pid, "SIGCONT");
      }
      await until(() => isHealthy(bridge));
      await until(async () => (await bridge.post("/", ["SET", "{still}", "1"])).status === 200);
      const connectionsAfter = await infoOfNodeWith(bridge, "{still}", "total_connections_received");
      expect(Number(connectionsAfter)).toBeGreaterThan(Number(connectionsBefore));
    } finally {
      await bridge.stop();
      await cluster.stop();
    }
  });

  async function infoOfNodeWith(bridge: TestBridge, key: string, field: string): Promise<string | undefined> {
    const { json } = await bridge.post("/", ["EVAL", "return redis.call('INFO')", 1, key]);
    return new RegExp(`${field}:(\\d+)`).exec((json as { result: string }).result)?.[1];
  }
});
