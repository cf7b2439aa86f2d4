import type { Redis } from "ioredis";
import { FENCE_KEY } from "../../origin/journal/keys.ts";

/** At most the maximum duration of a lease, or it would be ignored. */
const LEASE_MS = 1_400;
const RENEW_EVERY_MS = 300;

/**
 * Simulates another process that took the lead, keeps it for this long, and does nothing. Returns once it has the lead.
 */
export async function stallEngine(redis: Redis, ms: number): Promise<void> {
  const endsAt = performance.now() + ms;
  const epoch = String(Number(await redis.hget(FENCE_KEY, "epoch")) + 1);
  const renew = async () => {
    const [seconds, microseconds] = await redis.time();
    const nowMs = Number(seconds) * 1_000 + Math.floor(Number(microseconds) / 1_000);
    const restMs = Math.max(0, endsAt - performance.now());
    await redis.hset(FENCE_KEY, { epoch, owner: "stranger", until: nowMs + Math.min(LEASE_MS, Math.floor(restMs)) });
  };
  await renew();
  const timer = setInterval(() => {
    if (performance.now() + LEASE_MS >= endsAt) clearInterval(timer);
    void renew();
  }, RENEW_EVERY_MS);
}
