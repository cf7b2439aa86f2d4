import type { Redis } from "ioredis";
import { queueKeys } from "../edge/line/keys.ts";
import type { LineEvent } from "./line-event.ts";

/** The part of a queue's configuration that the line obeys. */
export type LineSettings = {
  /** "closing" is no mode of a queue: the auditor's name for a line that neither moves nor accepts visitors. */
  readonly mode: "active" | "paused" | "drain" | "closing";
  readonly maxActive: number;
  /** Admissions per second. */
  readonly rate: number;
  readonly burst: number;
  readonly sessionTtlSeconds: number;
  readonly claimSeconds: number;
  readonly heartbeatTtlSeconds: number;
  readonly maxQueueSize: number;
  readonly event: LineEvent | null;
};

/** A line without an event. */
export type PlainSettings = Omit<LineSettings, "event">;

export async function writeSettings(
  redis: Redis,
  { queueId, settings }: { queueId: string; settings: PlainSettings & { readonly event?: LineEvent | null } },
): Promise<void> {
  const { meta } = queueKeys(queueId);
  const fields = {
    mode: settings.mode,
    max_active: settings.maxActive,
    admission_rate: settings.rate,
    admission_burst: settings.burst,
    session_ttl_seconds: settings.sessionTtlSeconds,
    claim_seconds: settings.claimSeconds,
    heartbeat_ttl_seconds: settings.heartbeatTtlSeconds,
    max_queue_size: settings.maxQueueSize,
    ...(settings.event ? eventFields(settings.event) : {}),
  };
  // A setting that an event leaves out must not remain from the previous event.
  await redis.multi().del(meta).hset(meta, fields).exec();
}

function eventFields({
  prequeueOpensAtMs,
  opensAtMs,
  closesAtMs,
  order,
  drawSpan,
  overrides,
}: LineEvent): Record<string, string | number> {
  const { maxActive, rate, burst, sessionTtlSeconds } = overrides;
  return {
    prequeue_opens_at: String(prequeueOpensAtMs),
    opens_at: String(opensAtMs),
    closes_at: String(closesAtMs),
    order,
    draw_span: drawSpan,
    ...(maxActive !== undefined && { event_max_active: maxActive }),
    ...(rate !== undefined && { event_admission_rate: rate }),
    ...(burst !== undefined && { event_admission_burst: burst }),
    ...(sessionTtlSeconds !== undefined && { event_session_ttl_seconds: sessionTtlSeconds }),
  };
}
