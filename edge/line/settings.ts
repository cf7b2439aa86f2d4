import { z } from "zod";
import { RETURN_GRACE_SECONDS_MAX } from "../../shared/tokens/admission.ts";
import { PROOF_BITS_MAX, PROOF_BITS_MIN } from "../../shared/tokens/proof-of-work.ts";
import { LANGUAGES } from "./page/language.ts";
import { isPlainText } from "./page/plain-text.ts";
import { templateSchema } from "./page/template.ts";
import { checkSchedule } from "./schedule.ts";
import { targetUrlSchema } from "./target-url.ts";

const MESSAGE_CHARS_MAX = 500;
/** As long as it is remembered how a ticket was used up. */
const BAN_SECONDS_MAX = 86_400;

/** How many people the application can carry at once. */
const maxActive = z.number().int().min(1).max(1_000_000);
/** People per second; fractions allowed. */
const admissionRate = z.number().min(0.001).max(10_000);
const admissionBurst = z.number().int().min(1).max(10_000);
/** Stands for a burst that was not given; no queue has it. */
const BURST_BY_RATE = 0;
const sessionTtlSeconds = z.number().int().min(10).max(86_400);

/** In force from `opensAt` to `closesAt`; what is left out is as the queue has it. */
const eventOverridesSchema = z
  .strictObject({ maxActive, admissionRate, admissionBurst, sessionTtlSeconds })
  .partial()
  .refine((overrides) => Object.keys(overrides).length > 0, "must name at least one setting, or be null");

/** Seconds in place of milliseconds would be a day in January 1970. */
const MOMENT_MS_MIN = Date.UTC(2001, 8, 9);
const MOMENT_MS_MAX = Date.UTC(2100, 0, 1);
const momentSchema = z.int().min(MOMENT_MS_MIN, "must be milliseconds since 1970").max(MOMENT_MS_MAX);

const settingsShape = z.strictObject({
  name: z.string().trim().min(1).max(200),
  maxActive,
  maxQueueSize: z.number().int().min(0).max(10_000_000).default(1_000_000),
  admissionRate,
  /** How many may enter at once after a pause. */
  admissionBurst: admissionBurst
    .default(BURST_BY_RATE)
    .describe("By default as many as the rate admits in a second, at least 1."),
  mode: z.enum(["active", "paused", "drain", "maintenance", "open"]).default("active"),
  /** Among visitors who take a place before `opensAt`; later ones stand behind them, first come, first served. */
  order: z.enum(["fifo", "random", "lottery"]).default("fifo"),
  /** From here on places are taken; the line does not move before `opensAt`. */
  prequeueOpensAt: momentSchema.nullable().default(null),
  opensAt: momentSchema.nullable().default(null),
  /** From here on no new places are given; visitors who have one still enter. */
  closesAt: momentSchema.nullable().default(null),
  eventOverrides: eventOverridesSchema.nullable().default(null),
  sessionTtlSeconds: sessionTtlSeconds.default(3_600),
  sessionRenewal: z.boolean().default(true),
  /** 0: off. Else a session without a request for so long gives its slot back. */
  idleSeconds: z.union([z.literal(0), z.number().int().min(10).max(86_400)]).default(0),
  /**
   * 0: none. For so long a visitor whose session was revoked may not join again; `banCookie` says what that cannot do.
   */
  banSeconds: z.number().int().min(0).max(BAN_SECONDS_MAX).default(0),
  /** Of the visitors' cookies. `none` lets them come along with forms of other sites, and works on https only. */
  sameSite: z.enum(["lax", "none"]).default("lax"),
  claimSeconds: z.number().int().min(2).max(600).default(20),
  heartbeatTtlSeconds: z.number().int().min(5).max(600).default(60),
  returnGraceSeconds: z.number().int().min(0).max(RETURN_GRACE_SECONDS_MAX).default(1_800),
  /** 0: no limit. An office or a mobile network shares one address. */
  ticketsPerIp: z.number().int().min(0).max(100_000).default(0),
  /** 0: none. Else how many leading zero bits a newcomer's proof must have: each one more doubles the work. */
  proofOfWork: z.union([z.literal(0), z.number().int().min(PROOF_BITS_MIN).max(PROOF_BITS_MAX)]).default(0),
  onStoreFailure: z.enum(["closed", "open"]).default("closed"),
  revocationCheck: z.enum(["fast", "strict"]).default("fast"),
  /** The status of the waiting page: 200 for people, 202, 429 or 503 for those whose monitors want to know. */
  waitingStatus: z.union([z.literal(200), z.literal(202), z.literal(429), z.literal(503)]).default(200),
  /** The operator's message on the waiting page; empty for none. */
  message: z.string().trim().max(MESSAGE_CHARS_MAX).refine(isPlainText, "must have no control characters").default(""),
  /** The page's language for visitors whose own is not supported. */
  language: z.enum(LANGUAGES).default("en"),
  template: templateSchema.nullable().default(null),
  /** Where its visitors' requests go; null for the gate's own origin. */
  targetUrl: targetUrlSchema.nullable().default(null),
});

/** A queue's settings. Every number is bounded, so that a typing error cannot stop the line or flood the origin. */
export const queueSettingsSchema = settingsShape.check((payload) => {
  const { value, issues } = payload;
  for (const { field, message } of checkSchedule(value))
    issues.push({ code: "custom", path: [field], message, input: value });
  if (value.admissionBurst === BURST_BY_RATE)
    payload.value = { ...value, admissionBurst: defaultBurst(value.admissionRate) };
});

/** One second's worth: a visitor who is a moment late then costs no token, and entries are no faster than that. */
function defaultBurst(admissionRate: number): number {
  return Math.max(1, Math.ceil(admissionRate));
}

export type QueueSettings = z.output<typeof queueSettingsSchema>;

/** Tickets are signed again while their holder polls; between two signatures a ticket may age by this much. */
export const TICKET_REISSUE_MS = 600_000;

/** The longest that a ticket of this queue can come back after its last poll. */
export function ticketLifeMs({ heartbeatTtlSeconds, returnGraceSeconds }: QueueSettings): number {
  return (heartbeatTtlSeconds + returnGraceSeconds) * 1_000 + TICKET_REISSUE_MS;
}

/**
 * How long the person's one place is known by the invite only; how it was used is kept for longer. No ticket lives
 * longer.
 */
export const PERSON_KEEP_MS = 86_400_000;

/**
 * A hash of texts, as `queue:{q}:meta` holds it: the scripts read the numbers, edges read the rest. The event's own
 * values stand beside the queue's, each under the same name with `event_` before it.
 */
export function toMeta({ eventOverrides, ...settings }: QueueSettings): Record<string, string> {
  const own = Object.entries(settings).map(([name, value]) => [snakeCase(name), toText(value)]);
  const events = Object.entries(eventOverrides ?? {}).map(([name, value]) => [EVENT + snakeCase(name), toText(value)]);
  return Object.fromEntries([...own, ...events]);
}

/** Throws on a hash that no version of Sluice wrote: better no gate than a gate with half its settings. */
export function fromMeta(meta: Readonly<Record<string, string>>): QueueSettings {
  const { eventOverrides: _flat, ...plain } = settingsShape.shape;
  const eventOverrides = readTexts(eventOverridesSchema.shape, (name) => meta[EVENT + name]);
  return queueSettingsSchema.parse({
    ...readTexts(plain, (name) => meta[name]),
    ...(Object.keys(eventOverrides).length > 0 && { eventOverrides }),
  });
}

const EVENT = "event_";

function readTexts(
  shape: Readonly<Record<string, z.ZodType>>,
  textOf: (name: string) => string | undefined,
): Record<string, unknown> {
  const values = Object.entries(shape).map(([name, schema]) => [name, readText(schema, textOf(snakeCase(name)))]);
  return Object.fromEntries(values.filter(([, value]) => value !== undefined));
}

function toText(value: unknown): string {
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

function readText(schema: z.ZodType, text: string | undefined): unknown {
  if (text === undefined) return undefined;
  if (schema.safeParse(text).success) return text;
  return JSON.parse(text);
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
