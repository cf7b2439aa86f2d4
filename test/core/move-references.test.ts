import { Redis } from "ioredis";
import { afterAll, expect, it } from "vitest";
import { borrowRedis } from "../../kit/borrowed-servers.ts";
import { namedKey, PROJECTED_KEY, referencesKey } from "../../origin/state/keys.ts";
import { findNames } from "../../origin/state/name-store.ts";
import { moveReferences } from "../../origin/upgrade/move-references.ts";

const HOUR_MS = 3_600_000;
const NOW = 1_790_000_000_000;
const server = await borrowRedis({ fsync: "no" });
const redis = new Redis(server.url);
afterAll(async () => {
  redis.disconnect();
});

/** As the previous version wrote them. */
async function putReferences(count: number): Promise<void> {
  await redis.flushall();
  await redis.hset(PROJECTED_KEY, "at", NOW);
  const pipeline = redis.pipeline();
  for (let index = 0; index < count; index++) {
    const at = NOW - Math.floor((index * 23 * HOUR_MS) / count);
    const fields = ["order", `user-${index % 3}`, `order ${index} é`, "0123456789abcdef", index + 1, at];
    pipeline.hset(referencesKey(Math.floor(at / HOUR_MS)), `order ${fields[1]} ${fields[2]}`, JSON.stringify(fields));
  }
  await pipeline.exec();
}

const nameOf = (index: number) =>
  ({ kind: "order", user: `user-${index % 3}`, reference: `order ${index} é` }) as const;

async function expectAll(count: number): Promise<void> {
  const indexes = Array.from({ length: count }, (_, index) => index);
  const found = await findNames(redis, indexes.map(nameOf), NOW);
  expect(found.length).toBe(count);
  for (const [index, row] of found.entries()) {
    expect(row).toMatchObject({ ...nameOf(index), digest: "0123456789abcdef", orderId: index + 1 });
    expect(row.at).toBe(NOW - Math.floor((index * 23 * HOUR_MS) / count));
  }
  const numbers = await Promise.all(
    Array.from({ length: 25 }, (_, back) => redis.hvals(namedKey(Math.floor(NOW / HOUR_MS) - back))),
  );
  expect(numbers.flat().reduce((sum, number) => sum + Number(number), 0)).toBe(count);
  expect(await redis.keys("v1:{t0}:references:*")).toEqual([]);
  for (const key of [...(await redis.keys("v1:{t0}:names:*")), ...(await redis.keys("v1:{t0}:named:*"))]) {
    expect(await redis.ttl(key), key).toBeGreaterThan(0);
  }
}

it("moves every name with its content, counts them by user and hour, and reports its progress", async () => {
  await putReferences(5_000);
  const told: number[] = [];
  await moveReferences(redis, { onProgress: ({ done, total }) => told.push(done / total) });
  expect(told.at(-1)).toBe(1);
  expect(told).toEqual(told.toSorted((one, other) => one - other));
  await expectAll(5_000);
  await moveReferences(redis);
  await expectAll(5_000);
});

it("reaches the same end when it was interrupted anywhere and starts again", async () => {
  for (const after of [0, 1, 7, 20, 40]) {
    await putReferences(2_000);
    let steps = 0;
    const interrupted = moveReferences(redis, {
      onProgress: () => {
        if (steps++ === after) throw new Error("interrupted");
      },
    });
    await interrupted.catch((error: Error) => expect(error.message).toBe("interrupted"));
    await moveReferences(redis);
    await expectAll(2_000);
  }
});
