import { Redis } from "ioredis";
import { describe, expect, it } from "vitest";
import { startRedisCluster } from "../../kit/redis-cluster.ts";
import { temporaryFolder } from "../../kit/temporary-folder.ts";
import { startRedisServer } from "./redis-server.ts";

describe("startRedisServer", () => {
  it("keeps an acknowledged write across kill -9 and a new start on the same folder", async () => {
    const folder = await temporaryFolder();
    const first = await startRedisServer({ folder, fsync: "always", password: "pass" });
    const writer = new Redis(first.url);
    await writer.set("kept", "yes");
    writer.disconnect();
    process.kill(first.child.pid, "SIGKILL");
    await first.child.exited;
    const second = await startRedisServer({ folder, fsync: "always", password: "pass" });
    const reader = new Redis(second.url);
    expect(await reader.get("kept")).toBe("yes");
    reader.disconnect();
    await second.stop();
  });

  it("runs with the settings that the venue relies on", async () => {
    const server = await startRedisServer({ folder: await temporaryFolder(), fsync: "always" });
    const redis = new Redis(server.url);
    const settings = await Promise.all(
      ["appendonly", "appendfsync", "no-appendfsync-on-rewrite", "maxmemory-policy", "bind"].map((name) =>
        redis.config("GET", name),
      ),
    );
    expect(settings).toEqual([
      ["appendonly", "yes"],
      ["appendfsync", "always"],
      ["no-appendfsync-on-rewrite", "no"],
      ["maxmemory-policy", "noeviction"],
      ["bind", "127.0.0.1"],
    ]);
    redis.disconnect();
    await server.stop();
  });

  it("refuses a caller without the password", async () => {
    const server = await startRedisServer({ folder: await temporaryFolder(), fsync: "no", password: "secret" });
    const stranger = new Redis(server.port, "127.0.0.1", { protocol: 2, enableReadyCheck: false });
    await expect(stranger.get("x")).rejects.toThrow("NOAUTH");
    stranger.disconnect();
    await server.stop();
  });

  it("lets the data user access data only, also inside a script", async () => {
    const server = await startRedisServer({
      folder: await temporaryFolder(),
      fsync: "no",
      password: "secret",
      dataUser: "bridge",
    });
    const owner = new Redis(server.url);
    const redis = new Redis(server.url.replace("redis://:", "redis://bridge:"));
    await redis.eval("return redis.call('SET', KEYS[1], ARGV[1])", 1, "place", "kept");
    for (const command of [
      "'FLUSHALL'",
      "'KEYS', '*'",
      "'CONFIG', 'GET', 'requirepass'",
      "'SHUTDOWN', 'NOSAVE'",
      "'DEBUG', 'SLEEP', '1'",
    ])
      await expect(redis.eval(`return redis.call(${command})`, 0), command).rejects.toThrow(
        /can.t run this command|not allowed/,
      );
    await expect(redis.flushall()).rejects.toThrow("NOPERM");
    expect(await owner.get("place")).toBe("kept");
    redis.disconnect();
    owner.disconnect();
    await server.stop();
  });

  it("reports the server's last output when it could not start", async () => {
    const server = await startRedisServer({ folder: await temporaryFolder(), fsync: "no" });
    const samePort = startRedisServer({
      folder: await temporaryFolder(),
      fsync: "no",
      port: server.port,
      name: "second",
    });
    await expect(samePort).rejects.toThrow(/second exited with code 1.*already in use/s);
    await server.stop();
  });
});

describe("startRedisCluster", () => {
  it("spreads keys over three masters", async () => {
    const cluster = await startRedisCluster(await temporaryFolder());
    const client = new Redis.Cluster([...cluster.nodes]);
    await Promise.all(Array.from({ length: 50 }, (_, index) => client.set(`key-${index}`, index)));
    const sizes = await Promise.all(client.nodes("master").map((node) => node.dbsize()));
    expect(sizes).toHaveLength(3);
    expect(Math.min(...sizes)).toBeGreaterThan(0);
    client.disconnect();
    await cluster.stop();
  });
});
