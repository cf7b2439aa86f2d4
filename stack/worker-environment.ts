import { z } from "zod";
import {
  EDGE_VARIABLES,
  type Environment,
  hostVariable,
  parseEnvironment,
  portVariable,
  urlVariable,
} from "../shared/environment.ts";
import { fail, ok, type Result } from "../shared/result.ts";

/** The settings of an edge in workerd that is started by itself. */
export type WorkerSettings = {
  readonly host: string;
  readonly port: number;
  /** Where the bundle is written. */
  readonly folder: string;
  /** `host:port` of the application behind the gate. */
  readonly originAddress: string;
  readonly storeUrl: string;
  /** Passed on to the worker unchanged, which validates them with the first request. */
  readonly variables: Readonly<Record<string, string>>;
};

const workerVariables = z.object({
  SLUICE_HOST: hostVariable,
  SLUICE_PORT: portVariable.default(8787),
  SLUICE_DATA_DIR: z.string().default(".sluice"),
  ORIGIN_URL: urlVariable("http:").refine(
    (text) => URL.canParse(text) && new URL(text).pathname === "/",
    "must be scheme, host and port only, without a path",
  ),
  UPSTASH_REDIS_REST_URL: urlVariable("http:", "https:"),
  UPSTASH_REDIS_REST_TOKEN: z.string("must be set"),
  SLUICE_SIGNING_KEYS: z.string("must be set"),
});

const HTTP_PORT = 80;

export function parseWorkerEnvironment(environment: Environment): Result<WorkerSettings, readonly string[]> {
  const parsed = parseEnvironment(workerVariables, environment);
  if (!parsed.ok) return fail(parsed.reason);
  const {
    SLUICE_HOST: host,
    SLUICE_PORT: port,
    SLUICE_DATA_DIR: folder,
    ORIGIN_URL,
    UPSTASH_REDIS_REST_URL: storeUrl,
  } = parsed.value;
  const { hostname, port: originPort } = new URL(ORIGIN_URL);
  const originAddress = `${hostname}:${originPort === "" ? HTTP_PORT : originPort}`;
  const entries = EDGE_VARIABLES.flatMap((name) =>
    environment[name]?.trim() ? [[name, environment[name]] as const] : [],
  );
  return ok({
    host,
    port,
    folder,
    originAddress,
    storeUrl,
    variables: Object.fromEntries(entries) as Record<string, string>,
  });
}
