import { totalmem } from "node:os";
import { z } from "zod";
import {
  type Environment,
  flagVariable,
  parseEnvironment,
  portVariable,
  redisUrlVariable,
  urlVariable,
  wholeNumberVariable,
} from "../shared/environment.ts";
import { fail, type Result } from "../shared/result.ts";
import { OPERATOR_TOKEN_CHARS_MIN, operatorTokensVariable } from "../shared/tokens/operator-tokens.ts";

const MIB = 1024 * 1024;
const VENUE_REDIS_MB_MIN = 64;

/** While Redis rewrites its file it may need twice its memory, and the other parts need some too. */
function halfOfMemoryMb(): number {
  const containerBytes = process.constrainedMemory();
  const bytes = containerBytes > 0 ? Math.min(totalmem(), containerBytes) : totalmem();
  return Math.max(VENUE_REDIS_MB_MIN, Math.floor(bytes / 2 / MIB));
}

/** The settings of `npm start`. Every variable is optional: without any, the whole product runs on embedded parts. */
const settingsSchema = z.object({
  SLUICE_EDGE: z.enum(["worker", "node"], "must be worker or node").default("worker"),
  SLUICE_PORT: portVariable.default(8787),
  SLUICE_ORIGIN_PORT: portVariable.default(8788),
  SLUICE_BRIDGE_PORT: portVariable.default(8789),
  SLUICE_REDIS_PORT: portVariable.optional(),
  SLUICE_VENUE_REDIS_PORT: portVariable.optional(),
  SLUICE_VENUE_REDIS_MB: wholeNumberVariable({ min: VENUE_REDIS_MB_MIN, max: 10_000_000, fallback: halfOfMemoryMb() }),
  SLUICE_DATA_DIR: z.string().default(".sluice"),
  SLUICE_ADMIN_TOKEN: z
    .string()
    .min(OPERATOR_TOKEN_CHARS_MIN, `must have at least ${OPERATOR_TOKEN_CHARS_MIN} characters`)
    .optional(),
  SLUICE_ADMIN_TOKENS: operatorTokensVariable.optional(),
  SLUICE_SIGNING_KEYS: z.string().optional(),
  SLUICE_ALLOW_PRIVATE_TARGETS: flagVariable,
  CLIENT_ADDRESS_FROM: z.enum(["socket", "cloudflare"], "must be socket or cloudflare").default("socket"),
  SLUICE_NO_INSTALL: flagVariable,
  SLUICE_UNSAFE_STORE: flagVariable,
  REDIS_URL: redisUrlVariable.optional(),
  VENUE_REDIS_URL: redisUrlVariable.optional(),
  UPSTASH_REDIS_REST_URL: urlVariable("http:", "https:").optional(),
  UPSTASH_REDIS_REST_TOKEN: z.string().optional(),
  DATABASE_URL: urlVariable("postgres:", "postgresql:").optional(),
});

export type StackSettings = z.output<typeof settingsSchema>;

export function parseStackSettings(environment: Environment): Result<StackSettings, readonly string[]> {
  const parsed = parseEnvironment(settingsSchema, environment);
  const faults = [...(parsed.ok ? crossFaults(parsed.value) : parsed.reason)];
  return faults.length === 0 ? parsed : fail(faults);
}

function crossFaults(settings: StackSettings): readonly string[] {
  const faults: string[] = [];
  const hasUrl = settings.UPSTASH_REDIS_REST_URL !== undefined;
  if (hasUrl !== (settings.UPSTASH_REDIS_REST_TOKEN !== undefined)) {
    faults.push("UPSTASH_REDIS_REST_URL and UPSTASH_REDIS_REST_TOKEN: set both or neither");
  }
  if (hasUrl && settings.REDIS_URL !== undefined)
    faults.push("REDIS_URL and UPSTASH_REDIS_REST_URL: set one of them, the line has one store");
  for (const [port, names] of portUsers(settings)) {
    if (names.length > 1) faults.push(`${names.join(" and ")}: both are ${port}, each part needs a port of its own`);
  }
  return faults;
}

const PORT_NAMES = [
  "SLUICE_PORT",
  "SLUICE_ORIGIN_PORT",
  "SLUICE_BRIDGE_PORT",
  "SLUICE_REDIS_PORT",
  "SLUICE_VENUE_REDIS_PORT",
] as const;

function portUsers(settings: StackSettings): ReadonlyMap<number, readonly string[]> {
  const users = new Map<number, string[]>();
  for (const name of PORT_NAMES) {
    const port = settings[name];
    if (port !== undefined) users.set(port, [...(users.get(port) ?? []), name]);
  }
  return users;
}
