import { z } from "zod";
import {
  type Environment,
  flagVariable,
  hostVariable,
  parseEnvironment,
  portVariable,
  redisUrlVariable,
  urlVariable,
  wholeNumberVariable,
} from "../shared/environment.ts";
import { DEFAULT_ISSUER } from "../shared/tokens/admission.ts";
import { jwksVariable } from "./accounts/admission/known-keys.ts";
import { sealKeysVariable } from "./accounts/api-keys/seal.ts";
import { PROCESS_LIMITS } from "./accounts/limits/limit-table.ts";
import { FLUSH_TIMES } from "./live/fan-out/flush-times.ts";

/**
 * Roles of an origin process: serve the API, execute orders (one process leads, others stand by), bring the journal to
 * its readers.
 */
const ROLES = ["api", "engine", "worker"] as const;

const rolesVariable = z
  .string()
  .default(ROLES.join())
  .transform((text) => text.split(",").map((role) => role.trim()))
  .pipe(z.array(z.enum(ROLES, `must be one or more of ${ROLES.join(", ")}, separated by commas`)).min(1));

const SECRET_CHARS_MIN = 32;

const originEnvironmentSchema = z
  .object({
    SLUICE_HOST: hostVariable,
    SLUICE_ORIGIN_PORT: portVariable.default(8788),
    SLUICE_METRICS_PORT: portVariable.optional(),
    SLUICE_DATA_DIR: z.string().default(".sluice"),
    VENUE_REDIS_URL: redisUrlVariable,
    DATABASE_URL: urlVariable("postgres:", "postgresql:").optional(),
    SLUICE_JWKS: jwksVariable.optional(),
    SLUICE_JWKS_URL: urlVariable("http:", "https:").optional(),
    SLUICE_ISSUER: z.string().default(DEFAULT_ISSUER),
    SLUICE_IDENTITY_KEYS: z.string("must be set: the venue's keys for access tokens"),
    SLUICE_VENUE_SECRET: z
      .string("must be set")
      .min(SECRET_CHARS_MIN, `must have at least ${SECRET_CHARS_MIN} characters`),
    SLUICE_SEAL_KEYS: sealKeysVariable,
    SLUICE_ROLES: rolesVariable,
    SLUICE_UNSAFE_STORE: flagVariable,
    SLUICE_UPGRADE_WITHOUT_BACKUP: flagVariable,
    SLUICE_SYNC_SECONDS: wholeNumberVariable({ min: 1, max: 3_600, fallback: 10 }),
    SLUICE_AUDIT_MINUTES: wholeNumberVariable({ min: 0, max: 10_080, fallback: 60 }),
    SLUICE_BACKLOG_MB: wholeNumberVariable({ min: 1, max: 1_000_000, fallback: 1_024 }),
    SLUICE_ARCHIVE_DAYS: wholeNumberVariable({ min: 1, max: 36_500, fallback: 90 }),
    SLUICE_PRICES_WITHOUT_DEMO: flagVariable,
    SLUICE_PRICE_HOSTS: z
      .string()
      .default("")
      .transform((text) =>
        text
          .split(",")
          .map((host) => host.trim())
          .filter((host) => host !== ""),
      ),
    ARCHIVE_URL: urlVariable("s3:", "file:").optional(),
    AWS_ACCESS_KEY_ID: z.string().optional(),
    AWS_SECRET_ACCESS_KEY: z.string().optional(),
    SLUICE_REQUESTS_PER_ADDRESS: wholeNumberVariable({
      min: 1,
      max: 1_000_000,
      fallback: PROCESS_LIMITS.address.perSecond,
    }),
    SLUICE_SOCKETS_PER_ADDRESS: wholeNumberVariable({ min: 1, max: 1_000_000, fallback: 1_000 }),
    SLUICE_LIVE_BOOK_MS: wholeNumberVariable({ min: 10, max: 1_000, fallback: FLUSH_TIMES.fast }),
    SLUICE_LIVE_SUMMARY_MS: wholeNumberVariable({ min: 10, max: 1_000, fallback: FLUSH_TIMES.slow }),
  })
  .refine((values) => (values.SLUICE_JWKS === undefined) !== (values.SLUICE_JWKS_URL === undefined), {
    path: ["SLUICE_JWKS_URL"],
    message: "set this or SLUICE_JWKS, not both: without the gate's keys the origin would be open",
  });

export function parseOriginEnvironment(environment: Environment) {
  return parseEnvironment(originEnvironmentSchema, environment);
}

type Parsed = ReturnType<typeof parseOriginEnvironment>;
export type OriginSettings = Extract<Parsed, { readonly ok: true }>["value"];
