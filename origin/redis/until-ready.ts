import type { Redis } from "ioredis";

/** Returns when the connection is ready, or after `withinMs`. */
export async function untilReady(redis: Redis, withinMs: number): Promise<void> {
  if (redis.status === "ready") return;
  await new Promise<void>((resolve) => {
    const settle = () => {
      clearTimeout(timer);
      redis.off("ready", settle);
      resolve();
    };
    const timer = setTimeout(settle, withinMs);
    redis.on("ready", settle);
  });
}
