import type { Redis } from "ioredis";
import { queueKeys } from "../../edge/queue/keys.ts";

/** The part of a queue's configuration that the line obeys. */
export type LineSettings = {
  readonly mode: "active" | "paused" | "drain";
  readonly maxActive: number;
  /** Admissions per second. */
  readonly rate: number;
  readonly burst: number;
  readonly sessionTtlSeconds: number;
  readonly claimSeconds: number;
  readonly heartbeatTtlSeconds: number;
  readonly maxQueueSize: number;
};

export async function writeSettings(redis: Redis, { queueId, settings }: { queueId: string; settings: LineSettings }): Promise<void> {
  await redis.hset(queueKeys(queueId).meta, {
    mode: settings.mode,
    max_active: settings.maxActive,
    admission_rate: settings.rate,
    admission_burst: settings.burst,
    session_ttl_seconds: settings.sessionTtlSeconds,
    claim_seconds: settings.claimSeconds,
    heartbeat_ttl_seconds: settings.heartbeatTtlSeconds,
    max_queue_size: settings.maxQueueSize,
  });
}
