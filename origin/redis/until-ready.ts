import type { Redis } from "ioredis";

/** Returns when the connection can be used, or when it has taken long enough to say that it cannot. */
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
