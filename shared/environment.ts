import { z } from "zod";
import "./issue-sentences.ts";
import { fail, ok, type Result } from "./result.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads variables through a schema and reports every fault at once, so that one start shows them all.
 * A fault names the variable and what it should be; it never repeats the value, which may be a secret.
 */
export function parseEnvironment<Shape extends z.ZodRawShape>(
  schema: z.ZodObject<Shape>,
  environment: Environment,
): Result<z.output<z.ZodObject<Shape>>, readonly string[]> {
  const given = withoutEmpty(environment);
  const parsed = schema.safeParse(given);
  if (parsed.success) return ok(parsed.data);
  return fail(parsed.error.issues.map((issue) => `${issue.path.join(".")}: ${faultOf(issue, given)}`));
}

/** The schema's own message for a missing variable is about types, which mean nothing to the operator who sets it. */
function faultOf({ path, code, message }: z.core.$ZodIssue, given: Environment): string {
  return code === "invalid_type" && given[String(path[0])] === undefined ? "must be set" : message;
}

/** `X= npm start` means "not set" to the person who typed it. */
function withoutEmpty(environment: Environment): Record<string, string> {
  const entries = Object.entries(environment).filter((entry): entry is [string, string] => !!entry[1]?.trim());
  return Object.fromEntries(entries);
}

const PORT_MAX = 65_535;
const PORT_TEXT = /^\d{1,5}$/;

export const portVariable = z
  .string()
  .refine(
    (text) => PORT_TEXT.test(text) && Number(text) >= 1 && Number(text) <= PORT_MAX,
    "must be a port number from 1 to 65535",
  )
  .transform(Number);

/**
 * The address a process listens on. Only this machine reaches loopback; a part in its own container gets another
 * address.
 */
export const hostVariable = z.union([z.ipv4(), z.ipv6()], "must be an IP address").default("127.0.0.1");

export const flagVariable = z
  .enum(["0", "1"], "must be 0 or 1")
  .default("0")
  .transform((text) => text === "1");

export function urlVariable(...protocols: readonly string[]) {
  return z
    .string()
    .refine(
      (text) => protocols.includes(protocolOf(text)),
      `must be a URL that starts with ${protocols.map((p) => `${p}//`).join(" or ")}`,
    );
}

export const redisUrlVariable = urlVariable("redis:", "rediss:");

/** Milliseconds or counts: whole, positive and bounded, so that a typing error does not become a year. */
export function wholeNumberVariable(bounds: { readonly min: number; readonly max: number; readonly fallback: number }) {
  const { min, max, fallback } = bounds;
  return z
    .string()
    .refine(
      (text) => /^\d{1,15}$/.test(text) && Number(text) >= min && Number(text) <= max,
      `must be a whole number from ${min} to ${max}`,
    )
    .default(String(fallback))
    .transform(Number);
}

function protocolOf(text: string): string {
  return URL.canParse(text) ? new URL(text).protocol : "";
}

/**
 * Every variable that the edge reads in either runtime, beside ORIGIN_URL: a program that starts an edge passes them
 * on.
 */
export const EDGE_VARIABLES = [
  "ORIGIN_TIMEOUT_MS",
  "BODY_TIMEOUT_MS",
  "STORE_TIMEOUT_MS",
  "CLIENT_ADDRESS_FROM",
  "UPSTASH_REDIS_REST_URL",
  "UPSTASH_REDIS_REST_TOKEN",
  "SLUICE_ADMIN_TOKEN",
  "SLUICE_ADMIN_TOKENS",
  "SLUICE_SIGNING_KEYS",
  "SLUICE_ISSUER",
  "SLUICE_JOINS_PER_ADDRESS",
  "SLUICE_ALLOW_PRIVATE_TARGETS",
  "SLUICE_UNKNOWN_HOSTS",
  "TRUSTED_PROXIES",
] as const;

/** Those of these variables that are set. */
export function pickVariables(environment: Environment, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => (environment[name] === undefined ? [] : [[name, environment[name]]])),
  );
}
