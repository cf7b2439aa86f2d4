import { z } from "zod";
import { type Environment, hostVariable, parseEnvironment, portVariable, urlVariable } from "../../shared/environment.ts";
import { fail, ok, type Result } from "../../shared/result.ts";

/** What the edge in workerd is told when it is started by itself. */
export type WorkerSettings = {
  readonly host: string;
  readonly port: number;
  /** Where the bundle is written. */
  readonly folder: string;
  /** `host:port` of the application behind the gate. */
  readonly originAddress: string;
  readonly storeUrl: string;
  /** What goes on to the worker as it is, which judges it when it is asked. */
  readonly variables: Readonly<Record<string, string>>;
};

const workerVariables = z.object({
  SLUICE_HOST: hostVariable,
  SLUICE_PORT: portVariable.default(8787),
  SLUICE_DATA_DIR: z.string().default(".sluice"),
  ORIGIN_URL: urlVariable("http:").refine(
    (text) => URL.canParse(text) && new URL(text).pathname === "/",
    "must be scheme, host and port alone, without a path",
  ),
  UPSTASH_REDIS_REST_URL: urlVariable("http:", "https:"),
  UPSTASH_REDIS_REST_TOKEN: z.string("must be set"),
  SLUICE_SIGNING_KEYS: z.string("must be set"),
});

/** The worker would find these missing only when the first visitor comes. */
const PASSED_ON = [
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

const HTTP_PORT = 80;

export function parseWorkerEnvironment(environment: Environment): Result<WorkerSettings, readonly string[]> {
  const parsed = parseEnvironment(workerVariables, environment);
  if (!parsed.ok) return fail(parsed.reason);
  const { SLUICE_HOST: host, SLUICE_PORT: port, SLUICE_DATA_DIR: folder, ORIGIN_URL, UPSTASH_REDIS_REST_URL: storeUrl } = parsed.value;
  const { hostname, port: originPort } = new URL(ORIGIN_URL);
  const originAddress = `${hostname}:${originPort === "" ? HTTP_PORT : originPort}`;
  const entries = PASSED_ON.flatMap((name) => (environment[name]?.trim() ? [[name, environment[name]] as const] : []));
  return ok({ host, port, folder, originAddress, storeUrl, variables: Object.fromEntries(entries) as Record<string, string> });
}
