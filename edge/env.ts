import { z } from "zod";
import { DEFAULT_ISSUER } from "../shared/admission.ts";
import { type Environment, parseEnvironment, urlVariable, wholeNumberVariable } from "../shared/environment.ts";
import { fail, ok, type Result } from "../shared/result.ts";
import type { Visit } from "./proxy/read-visit.ts";

/** What the platform hands the worker: variables as text, and the way to the origin. */
export type EdgeBindings = {
  /** The origin as a service binding: the cheapest way, and the one that forwards a URL byte for byte. */
  readonly ORIGIN?: Fetcher;
  /** The origin's address where there is no such binding, as on Cloudflare. */
  readonly ORIGIN_URL?: string;
  readonly ORIGIN_TIMEOUT_MS?: string;
  readonly CLIENT_ADDRESS_FROM?: string;
  readonly UPSTASH_REDIS_REST_URL?: string;
  readonly UPSTASH_REDIS_REST_TOKEN?: string;
  readonly SLUICE_ADMIN_TOKEN?: string;
  readonly SLUICE_SIGNING_KEYS?: string;
  readonly SLUICE_ISSUER?: string;
  readonly SLUICE_JOINS_PER_ADDRESS?: string;
};

/** The type parameter of everything Hono at the edge. */
export type EdgeEnvironment = {
  Bindings: EdgeBindings;
  Variables: { configuration: EdgeConfiguration; visit: Visit };
};

const variables = z.object({
  ORIGIN_URL: urlVariable("http:", "https:")
    .refine((text) => isBareOrigin(text), "must be scheme, host and port alone, without a path")
    .transform((text) => new URL(text).origin)
    .optional(),
  ORIGIN_TIMEOUT_MS: wholeNumberVariable({ min: 10, max: 600_000, fallback: 30_000 }),
  CLIENT_ADDRESS_FROM: z.enum(["socket", "cloudflare"], "must be socket or cloudflare").default("socket"),
  UPSTASH_REDIS_REST_URL: urlVariable("http:", "https:"),
  UPSTASH_REDIS_REST_TOKEN: z.string("must be set"),
  SLUICE_ADMIN_TOKEN: z.string().optional(),
  SLUICE_SIGNING_KEYS: z.string("must be set"),
  SLUICE_ISSUER: z.string().max(200, "must have at most 200 characters").default(DEFAULT_ISSUER),
  SLUICE_JOINS_PER_ADDRESS: wholeNumberVariable({ min: 1, max: 1_000_000, fallback: 100 }),
});

export type EdgeConfiguration = {
  readonly origin: OriginAddress;
  readonly originTimeoutMs: number;
  readonly clientAddressFrom: "socket" | "cloudflare";
  readonly store: { readonly url: string; readonly token: string };
  readonly adminToken: string | undefined;
  /** JSON of the private keys that sign tickets and passes. */
  readonly signingKeys: string;
  readonly issuer: string;
  readonly joinsPerAddressPerSecond: number;
};

export type OriginAddress = { readonly kind: "binding"; readonly fetcher: Fetcher } | { readonly kind: "url"; readonly site: string };

type ConfigurationResult = Result<EdgeConfiguration, readonly string[]>;

let last: { readonly bindings: EdgeBindings; readonly result: ConfigurationResult } | undefined;

/** Once per isolate: the platform hands every request the same bindings. */
export function edgeConfiguration(bindings: EdgeBindings): ConfigurationResult {
  if (last?.bindings !== bindings) last = { bindings, result: readConfiguration(bindings) };
  return last.result;
}

export function readConfiguration(bindings: EdgeBindings): ConfigurationResult {
  const { ORIGIN: fetcher, ...texts } = bindings;
  const parsed = parseEnvironment(variables, texts satisfies Environment);
  const faults = parsed.ok ? [] : [...parsed.reason];
  if (fetcher === undefined && !texts.ORIGIN_URL?.trim()) faults.push("ORIGIN_URL: must be set where there is no service binding ORIGIN");
  if (!parsed.ok || faults.length > 0) return fail(faults);
  const { value } = parsed;
  const origin: OriginAddress = fetcher === undefined ? { kind: "url", site: value.ORIGIN_URL ?? "" } : { kind: "binding", fetcher };
  return ok({
    origin,
    originTimeoutMs: value.ORIGIN_TIMEOUT_MS,
    clientAddressFrom: value.CLIENT_ADDRESS_FROM,
    store: { url: value.UPSTASH_REDIS_REST_URL, token: value.UPSTASH_REDIS_REST_TOKEN },
    adminToken: value.SLUICE_ADMIN_TOKEN,
    signingKeys: value.SLUICE_SIGNING_KEYS,
    issuer: value.SLUICE_ISSUER,
    joinsPerAddressPerSecond: value.SLUICE_JOINS_PER_ADDRESS,
  });
}

function isBareOrigin(text: string): boolean {
  return URL.canParse(text) && ["", "/"].includes(new URL(text).href.slice(new URL(text).origin.length));
}
