import { z } from "zod";
import { isAddress, isPublicAddress } from "../../../shared/net/public-address.ts";
import { unitField } from "../items/item.ts";

/**
 * A provider is data: a row of `price_providers` whose description says where the prices are and how they are written.
 * Everything that differs between providers is a field here; no provider has code of its own.
 */
export type ProviderDescription = z.output<typeof providerDescriptionSchema>;
export type HttpDescription = Extract<ProviderDescription, { readonly kind: "http" }>;
export type PriceList = z.output<typeof listSchema>;
export type Unit = z.output<typeof unitField>;

export const PROVIDER_KINDS = ["http", "venue", "feed", "demo"] as const;

/** Names of fields from the outside in, separated by dots. */
const pathField = z
  .string()
  .regex(/^[\w-]+(?:\.[\w-]+){0,7}$/, "must be names of fields, separated by dots")
  .describe("Names of fields, as in `result.list`.");

const keyField = z.string().min(1).max(64);
const SECRET_MARK = /\{secret:([a-z][a-z0-9_]{0,31})\}/g;

/** The names of the secrets that a text has a place for. */
export function secretNames(text: string): readonly string[] {
  return [...text.matchAll(SECRET_MARK)].map(([, name = ""]) => name);
}

export function withSecrets(text: string, secretOf: (name: string) => string): string {
  return text.replaceAll(SECRET_MARK, (_mark, name: string) => secretOf(name));
}

const urlField = z
  .string()
  .max(500)
  .refine(isAllowedUrl, "must be an http or https URL without user name, whose host is public and has no placeholder")
  .describe("`{secret:name}` in the query is replaced by that secret.");

/** The name of a host is checked again when it is resolved, so that it cannot lead to a private address. */
function isAllowedUrl(text: string): boolean {
  const plain = text.replaceAll(SECRET_MARK, "x");
  if (!URL.canParse(plain)) return false;
  const { protocol, username, password, hash } = new URL(plain);
  const isPlain = username === "" && password === "" && hash === "";
  const beforeQuery = text.split("?", 1)[0] ?? "";
  return isPlain && (protocol === "https:" || protocol === "http:") && !/[{}\s]/.test(beforeQuery);
}

/** Whether a URL names an address that is not public; names are checked when they are resolved. */
export function namesPrivateAddress(url: string): boolean {
  const host = new URL(url).hostname.replace(/^\[|\]$/g, "");
  return isAddress(host) && !isPublicAddress(host);
}

const fieldsSchema = z.strictObject({
  price: pathField,
  changePercent: pathField.optional().describe("With its sign, unless `direction` has it."),
  direction: z
    .strictObject({ path: pathField, down: z.array(z.string().max(40)).min(1).max(10) })
    .optional()
    .describe("A field whose value says that the change is negative."),
  high: pathField.optional(),
  low: pathField.optional(),
  volume: pathField.optional(),
  marketCap: pathField.optional(),
  time: pathField.optional(),
  clock: pathField.optional().describe("The time of day, where `time` is only a date."),
  unit: pathField.optional(),
});

const listSchema = z.strictObject({
  path: z.union([pathField, z.literal("")]).describe("Where the list is in the answer; empty for the whole answer."),
  shape: z.enum(["array", "map"]).describe("`map`: the names of the fields are the keys of the items."),
  key: pathField.optional().describe("The field of a row that is its key; only of an array."),
  unit: unitField.optional(),
  fields: fieldsSchema.optional(),
});

const requestSchema = z.strictObject({
  url: urlField,
  headers: z
    .record(z.string().regex(/^[A-Za-z][A-Za-z0-9-]{0,63}$/), z.string().max(500))
    .refine((headers) => Object.keys(headers).length <= 10, "must be at most 10 headers")
    .refine(
      (headers) => Object.keys(headers).every((name) => !FORBIDDEN_HEADERS.has(name.toLowerCase())),
      "must not contain a header that the connection sets",
    )
    .default({}),
  lists: z.array(listSchema).min(1).max(10),
});

const FORBIDDEN_HEADERS: ReadonlySet<string> = new Set(
  "host connection content-length transfer-encoding accept-encoding upgrade te trailer expect".split(" "),
);

const commonFields = {
  keys: z
    .record(z.string().max(64), keyField)
    .refine((keys) => Object.keys(keys).length <= 1_000, "must be at most 1,000 keys")
    .default({})
    .describe("Item to the provider's key; an item's `originalKey` comes first."),
  refreshSeconds: z
    .int()
    .min(10)
    .max(86_400)
    .nullable()
    .default(null)
    .describe(
      "A user's fresh request may fetch before the due time, this many seconds after the last attempt; null: never.",
    ),
};

const REQUESTS_MAX = 8;

const httpSchema = z.strictObject({
  kind: z.literal("http"),
  ...commonFields,
  requests: z.array(requestSchema).min(1).max(REQUESTS_MAX),
  fields: fieldsSchema,
  unit: unitField,
  unitNames: z.record(z.string().max(40), unitField).default({}).describe("How the field `unit` of a row is read."),
  unitOfKey: z.record(keyField, unitField).default({}).describe("Keys that are in another unit than the rest."),
  time: z
    .enum(["none", "unixSeconds", "unixMs", "tehranLocal", "jalali"])
    .default("none")
    .describe("How the field `time` is written; local times have no zone."),
  thousands: z
    .array(z.enum([",", "٬", " ", "'"]))
    .max(4)
    .default([",", "٬"])
    .describe("Separators of groups of three digits."),
  minSeconds: z.int().min(0).max(3_600).default(5).describe("The least time between two requests."),
  requestsPerDay: z.int().min(1).max(100_000).nullable().default(null),
});

const venueSchema = z.strictObject({ kind: z.literal("venue"), ...commonFields });
const feedSchema = z.strictObject({
  kind: z.literal("feed"),
  ...commonFields,
  source: z
    .string()
    .regex(/^[a-z][a-z0-9-]{0,31}$/)
    .describe("The feed, as in `binance`."),
});
const demoSchema = z.strictObject({
  kind: z.literal("demo"),
  ...commonFields,
  seed: z
    .int()
    .min(0)
    .max(2 ** 31 - 1),
});

export const providerDescriptionSchema = z.discriminatedUnion("kind", [
  httpSchema,
  venueSchema,
  feedSchema,
  demoSchema,
]);
