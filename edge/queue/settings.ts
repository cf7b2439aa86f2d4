import { z } from "zod";
import { RETURN_GRACE_SECONDS_MAX } from "../../shared/admission.ts";

/** What an operator can set on a queue. Every number is bounded, so that a slip of the keyboard cannot stop the line or flood the origin. */
export const queueSettingsSchema = z.strictObject({
  name: z.string().trim().min(1).max(200),
  /** How many people the application can carry at once. */
  maxActive: z.number().int().min(1).max(1_000_000),
  maxQueueSize: z.number().int().min(0).max(10_000_000).default(1_000_000),
  /** People per second; fractions allowed. */
  admissionRate: z.number().min(0.001).max(10_000),
  admissionBurst: z.number().int().min(1).max(10_000).default(1),
  mode: z.enum(["active", "paused", "drain", "maintenance", "open"]).default("active"),
  sessionTtlSeconds: z.number().int().min(10).max(86_400).default(3_600),
  sessionRenewal: z.boolean().default(true),
  claimSeconds: z.number().int().min(2).max(600).default(20),
  heartbeatTtlSeconds: z.number().int().min(5).max(600).default(60),
  returnGraceSeconds: z.number().int().min(0).max(RETURN_GRACE_SECONDS_MAX).default(1_800),
  /** 0: no limit. An office or a mobile network shares one address. */
  ticketsPerIp: z.number().int().min(0).max(100_000).default(0),
  onStoreFailure: z.enum(["closed", "open"]).default("closed"),
  revocationCheck: z.enum(["fast", "strict"]).default("fast"),
  /** The status of the waiting page: 200 for people, 202, 429 or 503 for those whose monitors want to know. */
  waitingStatus: z.union([z.literal(200), z.literal(202), z.literal(429), z.literal(503)]).default(200),
});

export type QueueSettings = z.output<typeof queueSettingsSchema>;

/** Tickets are signed anew while their holder polls; between two signatures one may be this much older. */
export const TICKET_REISSUE_MS = 600_000;

/** The longest that a ticket of this queue can come back after its last poll. */
export function ticketLifeMs({ heartbeatTtlSeconds, returnGraceSeconds }: QueueSettings): number {
  return (heartbeatTtlSeconds + returnGraceSeconds) * 1_000 + TICKET_REISSUE_MS;
}

/** A hash of texts, as `queue:{q}:meta` holds it: the scripts read the numbers, edges read the rest. */
export function toMeta(settings: QueueSettings): Record<string, string> {
  return Object.fromEntries(Object.entries(settings).map(([name, value]) => [snakeCase(name), String(value)]));
}

/** Throws on a hash that no version of Sluice wrote: better no gate than a gate with half its settings. */
export function fromMeta(meta: Readonly<Record<string, string>>): QueueSettings {
  const texts = Object.entries(queueSettingsSchema.shape).map(([name, schema]) => [name, readText(schema, meta[snakeCase(name)])]);
  return queueSettingsSchema.parse(Object.fromEntries(texts.filter(([, value]) => value !== undefined)));
}

function readText(schema: z.ZodType, text: string | undefined): unknown {
  if (text === undefined) return undefined;
  if (schema.safeParse(text).success) return text;
  return JSON.parse(text);
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
