import { z } from "zod";
import {
  EDGE_VARIABLES,
  type Environment,
  flagVariable,
  hostVariable,
  parseEnvironment,
  pickVariables,
  portVariable,
  redisUrlVariable,
  wholeNumberVariable,
} from "../../shared/environment.ts";
import { fail, ok, type Result } from "../../shared/result.ts";
import type { ScriptRunner } from "../../shared/store/define-script.ts";
import { parseKeyring } from "../../shared/tokens/keyring.ts";
import { type EdgeBindings, readConfiguration } from "../request/env.ts";
import type { StorePatience } from "../store/store-patience.ts";

export type NodeEdgeSettings = {
  readonly host: string;
  readonly port: number;
  /** The Redis to connect to; undefined: the store is asked over HTTP, as in a worker. */
  readonly redis: RedisAddress | undefined;
  /** The same variables that a worker is given. */
  readonly variables: EdgeVariables;
};

export type RedisAddress = {
  readonly urls: readonly [string, ...string[]];
  readonly isCluster: boolean;
  /** How many replicas must have a change before it is confirmed. */
  readonly replicas: number;
  readonly patience: StorePatience;
};

type EdgeVariables = Omit<EdgeBindings, "ORIGIN" | "UPSTREAMS" | "STORE" | "WRITE_TOKEN">;

/** Reports every fault at once, also those of the signing keys, which a worker finds only when it is asked. */
export async function parseNodeEdgeEnvironment(
  environment: Environment,
): Promise<Result<NodeEdgeSettings, readonly string[]>> {
  const parsed = parseEnvironment(nodeVariables, environment);
  const variables = edgeVariables(environment);
  const hasRedis = Boolean(environment["REDIS_URL"]?.trim());
  const configuration = readConfiguration(hasRedis ? { ...variables, STORE: NOT_OPEN_YET } : variables);
  const keyring = await parseKeyring(variables.SLUICE_SIGNING_KEYS ?? "{}");
  const faults = [
    ...(parsed.ok ? [] : parsed.reason),
    ...(configuration.ok ? [] : configuration.reason.map(fitToNode)),
    ...(keyring.ok || variables.SLUICE_SIGNING_KEYS === undefined
      ? []
      : keyring.reason.map((fault) => `SLUICE_SIGNING_KEYS: ${fault}`)),
  ];
  if (!parsed.ok || !configuration.ok || faults.length > 0) return fail(faults);
  const {
    SLUICE_HOST: host,
    SLUICE_PORT: port,
    REDIS_URL: urls,
    SLUICE_REDIS_CLUSTER: isCluster,
    SLUICE_REDIS_REPLICAS: replicas,
  } = parsed.value;
  const patience = configuration.value.storePatience;
  return ok({ host, port, redis: urls === undefined ? undefined : { urls, isCluster, replicas, patience }, variables });
}

const redisUrlsVariable = z
  .string()
  .transform((text) => text.split(",").map((url) => url.trim()))
  .pipe(z.tuple([redisUrlVariable], redisUrlVariable));

const nodeVariables = z
  .object({
    SLUICE_HOST: hostVariable,
    SLUICE_PORT: portVariable.default(8787),
    REDIS_URL: redisUrlsVariable.optional(),
    SLUICE_REDIS_CLUSTER: flagVariable,
    SLUICE_REDIS_REPLICAS: wholeNumberVariable({ min: 0, max: 5, fallback: 0 }),
  })
  .refine(
    ({ REDIS_URL: urls, SLUICE_REDIS_CLUSTER: isCluster }) => isCluster || urls === undefined || urls.length === 1,
    {
      path: ["REDIS_URL"],
      message: "must be one URL unless SLUICE_REDIS_CLUSTER is 1",
    },
  );

const VARIABLE_NAMES = ["ORIGIN_URL", ...EDGE_VARIABLES] as const satisfies readonly (keyof EdgeVariables)[];

function edgeVariables(environment: Environment): EdgeVariables {
  return pickVariables(environment, VARIABLE_NAMES) as EdgeVariables;
}

/** A Node process has no service binding, and two ways to name a store. */
function fitToNode(fault: string): string {
  if (fault.startsWith("ORIGIN_URL: must be set")) return "ORIGIN_URL: must be set";
  return fault === "UPSTASH_REDIS_REST_URL: must be set" ? "REDIS_URL or UPSTASH_REDIS_REST_URL: must be set" : fault;
}

/** Stands for the connection while the settings are only looked at. */
const NOT_OPEN_YET: ScriptRunner = {
  evalsha: () => Promise.reject(new Error("the store is not open yet")),
  eval: () => Promise.reject(new Error("the store is not open yet")),
};
