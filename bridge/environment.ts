import { z } from "zod";
import {
  type Environment,
  flagVariable,
  hostVariable,
  parseEnvironment,
  portVariable,
  redisUrlVariable,
  wholeNumberVariable,
} from "../shared/environment.ts";
import { REQUEST_TIMEOUT_MS } from "../stack/program/resp/redis-lane.ts";
import { neverAllowed } from "./command-policy.ts";

const DEFAULT_PORT = 8789;
const TOKEN_LENGTH_MIN = 16;
const TOKEN_LENGTH_MAX = 512;

const tokenVariable = z
  .string()
  .regex(/^[\x21-\x7e]+$/, "must be printable ASCII without spaces")
  .min(TOKEN_LENGTH_MIN, `must have at least ${TOKEN_LENGTH_MIN} characters`)
  .max(TOKEN_LENGTH_MAX, `must have at most ${TOKEN_LENGTH_MAX} characters`);

const commandListVariable = z
  .string()
  .default("")
  .transform((text) =>
    text
      .split(",")
      .map((name) => name.trim().toUpperCase())
      .filter((name) => name !== ""),
  )
  .refine(
    (names) => neverAllowed(names).length === 0,
    "must not name commands that change or hold the shared connection (SELECT, MULTI, SUBSCRIBE, BLPOP and their like)",
  );

/** With a cluster, several of its nodes may be named, separated by commas. */
const redisUrlsVariable = z
  .string()
  .transform((text) => text.split(",").map((url) => url.trim()))
  .pipe(z.array(redisUrlVariable).min(1));

const bridgeEnvironmentSchema = z.object({
  REDIS_URL: redisUrlsVariable,
  SLUICE_HOST: hostVariable,
  SLUICE_BRIDGE_PORT: portVariable.default(DEFAULT_PORT),
  SLUICE_BRIDGE_TOKEN: tokenVariable,
  SLUICE_BRIDGE_READ_ONLY_TOKEN: tokenVariable.optional(),
  SLUICE_BRIDGE_ALLOW: commandListVariable,
  SLUICE_BRIDGE_TIMEOUT_MS: wholeNumberVariable({ min: 50, max: 60_000, fallback: REQUEST_TIMEOUT_MS }),
  SLUICE_BRIDGE_CLUSTER: flagVariable,
  SLUICE_BRIDGE_REPLICAS: wholeNumberVariable({ min: 0, max: 5, fallback: 0 }),
});

/** Faults between two variables are reported once each of them is valid by itself. */
export function parseBridgeEnvironment(environment: Environment) {
  return parseEnvironment(
    bridgeEnvironmentSchema
      .refine((values) => values.SLUICE_BRIDGE_CLUSTER || values.REDIS_URL.length === 1, {
        path: ["REDIS_URL"],
        message: "must be one URL unless SLUICE_BRIDGE_CLUSTER is 1",
      })
      .refine((values) => values.SLUICE_BRIDGE_CLUSTER || values.SLUICE_BRIDGE_REPLICAS === 0, {
        path: ["SLUICE_BRIDGE_REPLICAS"],
        message: "must be 0 unless SLUICE_BRIDGE_CLUSTER is 1",
      })
      .refine((values) => values.SLUICE_BRIDGE_READ_ONLY_TOKEN !== values.SLUICE_BRIDGE_TOKEN, {
        path: ["SLUICE_BRIDGE_READ_ONLY_TOKEN"],
        message: "must differ from SLUICE_BRIDGE_TOKEN",
      }),
    environment,
  );
}
