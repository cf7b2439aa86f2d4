import { Redis } from "ioredis";
import { expect, it } from "vitest";
import { queueKeys } from "../../../edge/line/keys.ts";
import { openLine } from "../../../edge/line/line.ts";
import { writeSettings } from "../../../kit/line-settings.ts";
import { temporaryFolder } from "../../../kit/temporary-folder.ts";
import { scriptRunner } from "../../../origin/redis/script-runner.ts";
import { startRedisServer } from "../../../stack/servers/redis-server.ts";
import { lineCostBenchmark } from "./line-cost.ts";
import { fillLine, memberOf } from "./line-fill.ts";

it("measures polls at three lengths of the line, and the memory of a waiting visitor", async () => {
  const rows = await lineCostBenchmark.run({ quick: true });
  expect(rows).toHaveLength(3);
  for (const row of rows) expect(row.ratio, row.what).toBeGreaterThan(0);
  expect(rows.at(-1)?.notes).toMatch(/^\d+ bytes per visitor$/);
});

it("fills a line with the same keys and values as real joins", async () => {
  const server = await startRedisServer({ folder: await temporaryFolder(), fsync: "no" });
  const redis = new Redis(server.url);
  const size = 300;
  const times = { sessionTtlSeconds: 60, claimSeconds: 20, heartbeatTtlSeconds: 60 };
  const settings = { mode: "paused", maxActive: 1, rate: 1, burst: 1, maxQueueSize: size * 2, ...times } as const;
  for (const queueId of ["joined", "filled"]) await writeSettings(redis, { queueId, settings });
  const line = openLine({ store: scriptRunner(redis), queueId: "joined", ticketLifeMs: 60_000, random: () => 0.5 });
  for (let number = 1; number <= size; number++) {
    const { ticketId } = memberOf(number);
    await line.enter({ ticketId, lane: 0, addressHash: "", ticketsPerIp: 0 });
  }
  await fillLine(redis, { queueId: "filled", size });
  const [joined, filled] = [queueKeys("joined"), queueKeys("filled")];
  expect(await redis.zrange(filled.waiting, "0", "-1")).toEqual(await redis.zrange(joined.waiting, "0", "-1"));
  expect(await redis.zcard(filled.beats)).toBe(await redis.zcard(joined.beats));
  expect(await redis.hget(filled.stats, "total_enqueued")).toBe(await redis.hget(joined.stats, "total_enqueued"));
  expect((await redis.keys("*{joined}*")).length).toBe((await redis.keys("*{filled}*")).length);
  redis.disconnect();
  await server.stop();
});
