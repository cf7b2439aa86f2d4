import { z } from "zod";
import "./issue-sentences.ts";
import { type IpRange, parseRange } from "./ip-range.ts";
import { fail, ok, type Result } from "./result.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads variables through a schema and reports every fault at once, so that nobody repairs them one start at a time.
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

/** The schema's own words for a variable that is not there are about types, which are no business of whoever sets them. */
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
  .refine((text) => PORT_TEXT.test(text) && Number(text) >= 1 && Number(text) <= PORT_MAX, "must be a port number from 1 to 65535")
  .transform(Number);

/** Where a process listens. Nothing but this machine reaches loopback; in a container of its own a part is told another address. */
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

/** Milliseconds or counts: whole, positive and bounded, so that a slip of the keyboard is not a year. */
export function wholeNumberVariable(bounds: { readonly min: number; readonly max: number; readonly fallback: number }) {
  const { min, max, fallback } = bounds;
  return z
    .string()
    .refine((text) => /^\d{1,15}$/.test(text) && Number(text) >= min && Number(text) <= max, `must be a whole number from ${min} to ${max}`)
    .default(String(fallback))
    .transform(Number);
}

const RANGES_MAX = 100;

/** Addresses and networks in CIDR notation, separated by commas. */
export const rangesVariable = z.string().transform((text, ctx): readonly IpRange[] => {
  const parsed = text.split(",").map((part) => parseRange(part.trim()));
  const faults = new Set(parsed.flatMap((range) => (range.ok ? [] : [range.reason])));
  if (parsed.length > RANGES_MAX) faults.add(`must name at most ${RANGES_MAX} networks`);
  for (const message of faults) ctx.addIssue({ code: "custom", message });
  return parsed.flatMap((range) => (range.ok ? [range.value] : []));
});

function protocolOf(text: string): string {
  return URL.canParse(text) ? new URL(text).protocol : "";
}
