import { z } from "zod";
import {
  type Environment,
  flagVariable,
  parseEnvironment,
  urlVariable,
  wholeNumberVariable,
} from "../../shared/environment.ts";
import { type IpRange, parseRange } from "../../shared/net/ip-range.ts";
import { fail, ok, type Result } from "../../shared/result.ts";
import type { ScriptRunner } from "../../shared/store/define-script.ts";
import { DEFAULT_ISSUER } from "../../shared/tokens/admission.ts";
import {
  OPERATOR_TOKEN_CHARS_MIN,
  type OperatorToken,
  operatorTokensVariable,
  SHARED_OPERATOR,
} from "../../shared/tokens/operator-tokens.ts";
import type { StoreAddress } from "../store/open-store.ts";
import { STORE_TIMEOUT_MS, type StorePatience, storePatience } from "../store/store-patience.ts";
import type { WriteToken } from "../tokens/sign-token.ts";
import type { Visit } from "./read-visit.ts";

/** The worker's bindings: variables as text, and the origin. */
export type EdgeBindings = {
  /** The origin as a service binding: the cheapest way, and the one that forwards a URL byte for byte. */
  readonly ORIGIN?: OriginFetcher;
  /** The origin's address where there is no such binding, as on Cloudflare. */
  readonly ORIGIN_URL?: string;
  /** The way to the upstreams of single queues, where `fetch` leads elsewhere. */
  readonly UPSTREAMS?: OriginFetcher;
  readonly ORIGIN_TIMEOUT_MS?: string;
  readonly BODY_TIMEOUT_MS?: string;
  readonly STORE_TIMEOUT_MS?: string;
  readonly CLIENT_ADDRESS_FROM?: string;
  readonly TRUSTED_PROXIES?: string;
  /** The store as a connection, where the runtime keeps one; elsewhere it is asked over HTTP. */
  readonly STORE?: ScriptRunner;
  /** How tokens are signed, where the runtime has a quicker way than WebCrypto. */
  readonly WRITE_TOKEN?: WriteToken;
  readonly UPSTASH_REDIS_REST_URL?: string;
  readonly UPSTASH_REDIS_REST_TOKEN?: string;
  readonly SLUICE_ADMIN_TOKEN?: string;
  readonly SLUICE_ADMIN_TOKENS?: string;
  readonly SLUICE_SIGNING_KEYS?: string;
  readonly SLUICE_ISSUER?: string;
  readonly SLUICE_JOINS_PER_ADDRESS?: string;
  readonly SLUICE_ALLOW_PRIVATE_TARGETS?: string;
  readonly SLUICE_UNKNOWN_HOSTS?: string;
};

/** The type parameter of everything Hono at the edge. */
export type EdgeEnvironment = {
  Bindings: EdgeBindings;
  Variables: {
    configuration: EdgeConfiguration;
    visit: Visit;
    /** The operator, on the operators' routes. */
    actor: string;
  };
};

const RANGES_MAX = 100;

/** Addresses and networks in CIDR notation, separated by commas. */
const rangesVariable = z.string().transform((text, ctx): readonly IpRange[] => {
  const parsed = text.split(",").map((part) => parseRange(part.trim()));
  const faults = new Set(parsed.flatMap((range) => (range.ok ? [] : [range.reason])));
  if (parsed.length > RANGES_MAX) faults.add(`must name at most ${RANGES_MAX} networks`);
  for (const message of faults) ctx.addIssue({ code: "custom", message });
  return parsed.flatMap((range) => (range.ok ? [range.value] : []));
});

const variables = z.object({
  ORIGIN_URL: urlVariable("http:", "https:")
    .refine((text) => isBareOrigin(text), "must be only scheme, host and port, without a path")
    .transform((text) => new URL(text).origin)
    .optional(),
  ORIGIN_TIMEOUT_MS: wholeNumberVariable({ min: 10, max: 600_000, fallback: 30_000 }),
  BODY_TIMEOUT_MS: wholeNumberVariable({ min: 10, max: 600_000, fallback: 15_000 }),
  STORE_TIMEOUT_MS: wholeNumberVariable({ min: 50, max: 60_000, fallback: STORE_TIMEOUT_MS }),
  CLIENT_ADDRESS_FROM: z.enum(["socket", "cloudflare"], "must be socket or cloudflare").default("socket"),
  TRUSTED_PROXIES: rangesVariable.default([]),
  UPSTASH_REDIS_REST_URL: urlVariable("http:", "https:").optional(),
  UPSTASH_REDIS_REST_TOKEN: z.string().optional(),
  SLUICE_ADMIN_TOKEN: z.string().default(""),
  SLUICE_ADMIN_TOKENS: operatorTokensVariable.default([]),
  SLUICE_SIGNING_KEYS: z.string("must be set"),
  SLUICE_ISSUER: z.string().max(200, "must have at most 200 characters").default(DEFAULT_ISSUER),
  SLUICE_JOINS_PER_ADDRESS: wholeNumberVariable({ min: 1, max: 1_000_000, fallback: 100 }),
  SLUICE_ALLOW_PRIVATE_TARGETS: flagVariable,
  SLUICE_UNKNOWN_HOSTS: z.enum(["refuse", "forward"], "must be refuse or forward").default("refuse"),
});

export type EdgeConfiguration = {
  readonly origin: OriginAddress;
  readonly upstreams: OriginFetcher;
  /** Whether a queue's `targetUrl` may lead into a private network or to this machine. */
  readonly allowsPrivateTargets: boolean;
  readonly originTimeoutMs: number;
  /** How long a client may take for a small body, or for each next kilobyte of a large one. */
  readonly bodyTimeoutMs: number;
  readonly clientAddressFrom: "socket" | "cloudflare";
  /** Whose `Forwarded` and `X-Forwarded-*` headers count. */
  readonly trustedProxies: readonly IpRange[];
  readonly store: StoreAddress;
  readonly storePatience: StorePatience;
  /** The operators' tokens; empty: the operator API is disabled. */
  readonly operators: readonly OperatorToken[];
  /** JSON of the private keys that sign tickets and passes. */
  readonly signingKeys: string;
  readonly writeToken: WriteToken | undefined;
  readonly issuer: string;
  readonly joinsPerAddressPerSecond: number;
  /** Whether requests for a host without a route are forwarded although other hosts have routes. */
  readonly forwardsUnknownHosts: boolean;
};

/** The part of a service binding that we use. */
type OriginFetcher = { readonly fetch: (input: string | Request, init?: RequestInit) => Promise<Response> };

export type OriginAddress =
  | { readonly kind: "binding"; readonly fetcher: OriginFetcher }
  | { readonly kind: "url"; readonly site: string };

export type ConfigurationResult = Result<EdgeConfiguration, readonly string[]>;

export function readConfiguration(bindings: EdgeBindings): ConfigurationResult {
  const {
    ORIGIN: fetcher,
    UPSTREAMS: upstreams = PUBLIC_INTERNET,
    STORE: runner,
    WRITE_TOKEN: writeToken,
    ...texts
  } = bindings;
  const parsed = parseEnvironment(variables, texts satisfies Environment);
  const faults = parsed.ok ? [] : [...parsed.reason];
  if (fetcher === undefined && !texts.ORIGIN_URL?.trim())
    faults.push("ORIGIN_URL: must be set where there is no service binding ORIGIN");
  if (runner === undefined)
    faults.push(...STORE_NAMES.filter((name) => !texts[name]?.trim()).map((name) => `${name}: must be set`));
  if (!parsed.ok || faults.length > 0) return fail(faults);
  const { value } = parsed;
  const patience = storePatience(value.STORE_TIMEOUT_MS);
  const origin: OriginAddress =
    fetcher === undefined ? { kind: "url", site: value.ORIGIN_URL ?? "" } : { kind: "binding", fetcher };
  return ok({
    origin,
    upstreams,
    allowsPrivateTargets: value.SLUICE_ALLOW_PRIVATE_TARGETS,
    originTimeoutMs: value.ORIGIN_TIMEOUT_MS,
    bodyTimeoutMs: value.BODY_TIMEOUT_MS,
    clientAddressFrom: value.CLIENT_ADDRESS_FROM,
    trustedProxies: value.TRUSTED_PROXIES,
    store:
      runner === undefined
        ? {
            kind: "rest",
            url: value.UPSTASH_REDIS_REST_URL ?? "",
            token: value.UPSTASH_REDIS_REST_TOKEN ?? "",
            patience,
          }
        : { kind: "connection", runner },
    storePatience: patience,
    operators: [...sharedOperator(value.SLUICE_ADMIN_TOKEN), ...value.SLUICE_ADMIN_TOKENS],
    signingKeys: value.SLUICE_SIGNING_KEYS,
    writeToken,
    issuer: value.SLUICE_ISSUER,
    joinsPerAddressPerSecond: value.SLUICE_JOINS_PER_ADDRESS,
    forwardsUnknownHosts: value.SLUICE_UNKNOWN_HOSTS === "forward",
  });
}

const PUBLIC_INTERNET: OriginFetcher = { fetch: (input, init) => fetch(input, init) };

/** A token that is too short counts as missing: the gate starts, and the token is not accepted. */
function sharedOperator(token: string): readonly OperatorToken[] {
  return token.length < OPERATOR_TOKEN_CHARS_MIN ? [] : [{ name: SHARED_OPERATOR, token }];
}

const STORE_NAMES = ["UPSTASH_REDIS_REST_URL", "UPSTASH_REDIS_REST_TOKEN"] as const;

function isBareOrigin(text: string): boolean {
  return URL.canParse(text) && ["", "/"].includes(new URL(text).href.slice(new URL(text).origin.length));
}
