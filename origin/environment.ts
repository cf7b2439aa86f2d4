import { z } from "zod";
import { type Environment, parseEnvironment, portVariable, redisUrlVariable, urlVariable } from "../shared/environment.ts";

const originEnvironmentSchema = z.object({
  SLUICE_ORIGIN_PORT: portVariable.default(8788),
  SLUICE_DATA_DIR: z.string().default(".sluice"),
  VENUE_REDIS_URL: redisUrlVariable,
  DATABASE_URL: urlVariable("postgres:", "postgresql:").optional(),
});

export function parseOriginEnvironment(environment: Environment) {
  return parseEnvironment(originEnvironmentSchema, environment);
}
