import pino from "pino";
import { expect, it } from "vitest";
import { borrowRedis } from "../../kit/borrowed-servers.ts";
import { temporaryFolder } from "../../kit/temporary-folder.ts";
import { connectRedis } from "../../origin/redis/connect.ts";
import { keepStoreClock } from "../../origin/redis/keep-store-clock.ts";
import { startRedisServer } from "../../stack/servers/redis-server.ts";

const HOUR_MS = 3_600_000;
/** More than a busy machine takes for one question. */
const NEAR_MS = 60_000;
const log = pino({ level: "silent" });

it("uses the time of the venue's Redis when the machine's own clock is an hour off, either way", async () => {
  const server = await borrowRedis({ fsync: "no" });
  for (const offMs of [HOUR_MS, -HOUR_MS]) {
    const redis = connectRedis(server.url, log);
    const clock = await keepStoreClock({ redis, own: { nowMs: () => Date.now() + offMs }, log });
    expect(Math.abs(clock.nowMs() - Date.now())).toBeLessThan(NEAR_MS);
    clock.stop();
    redis.disconnect();
  }
});

it("uses its own clock until Redis answers for the first time, then Redis' clock", async () => {
  const folder = await temporaryFolder();
  const first = await startRedisServer({ folder, fsync: "no" });
  await first.stop();
  const redis = connectRedis(first.url, log);
  const clock = await keepStoreClock({ redis, own: { nowMs: () => Date.now() + HOUR_MS }, log });
  expect(clock.nowMs() - Date.now()).toBeGreaterThan(HOUR_MS - NEAR_MS);
  const again = await startRedisServer({ folder, fsync: "no", port: first.port });
  try {
    await expect.poll(() => Math.abs(clock.nowMs() - Date.now()), { timeout: 30_000 }).toBeLessThan(NEAR_MS);
  } finally {
    clock.stop();
    redis.disconnect();
    await again.stop();
  }
});
