import { z } from "zod";
import { DEFAULT_ISSUER } from "../shared/admission.ts";
import { type Environment, parseEnvironment, portVariable, redisUrlVariable, urlVariable } from "../shared/environment.ts";
import { jwksVariable } from "./admission/known-keys.ts";

const originEnvironmentSchema = z
  .object({
    SLUICE_ORIGIN_PORT: portVariable.default(8788),
    SLUICE_DATA_DIR: z.string().default(".sluice"),
    VENUE_REDIS_URL: redisUrlVariable,
    DATABASE_URL: urlVariable("postgres:", "postgresql:").optional(),
    SLUICE_JWKS: jwksVariable.optional(),
    SLUICE_JWKS_URL: urlVariable("http:", "https:").optional(),
    SLUICE_ISSUER: z.string().default(DEFAULT_ISSUER),
  })
  .refine((values) => (values.SLUICE_JWKS === undefined) !== (values.SLUICE_JWKS_URL === undefined), {
    path: ["SLUICE_JWKS_URL"],
    message: "set either it or SLUICE_JWKS: without the gate's keys the origin would be open",
  });

export function parseOriginEnvironment(environment: Environment) {
  return parseEnvironment(originEnvironmentSchema, environment);
}
