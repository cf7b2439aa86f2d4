import { z } from "zod";
import { defineQuery } from "../../db/define-query.ts";
import claimSource from "./claim-provider.sql";
import deleteSource from "./delete-provider.sql";
import demandSource from "./demand-provider.sql";
import { PROVIDER_KINDS, providerDescriptionSchema } from "./describe-provider.ts";
import finishSource from "./finish-fetch.sql";
import listSource from "./list-providers.sql";
import lockSource from "./lock-provider.sql";
import noteSource from "./note-requests.sql";
import putSource from "./put-provider.sql";
import refreshSource from "./refresh-provider.sql";

/** A provider as the database has it. */
export type ProviderRow = z.output<typeof row>;
export type FetchReport = z.output<typeof reportSchema>;

export const reportSchema = z.object({
  /** Why the last attempt as a whole failed; null when it did not. */
  fault: z.string().nullable().default(null),
  fetchMs: z.number().default(0),
  accepted: z.int().default(0),
  /** Values that were not accepted; the items keep their last price, marked stale. */
  refused: z.array(z.object({ itemCode: z.string(), reason: z.string(), text: z.string() })).default([]),
});

const row = z.object({
  provider: z.string(),
  name: z.string(),
  kind: z.enum(PROVIDER_KINDS),
  enabled: z.boolean(),
  description: providerDescriptionSchema,
  secrets: z.record(z.string(), z.string()),
  dueAt: z.number(),
  attemptedAt: z.number().nullable(),
  succeededAt: z.number().nullable(),
  failures: z.int(),
  requestsDay: z.string().nullable(),
  requestsOfDay: z.int(),
  report: reportSchema,
  acceptsJumps: z.boolean(),
});

const touched = z.object({ provider: z.string() });

export const listProviders = defineQuery({ name: "list-providers", source: listSource, params: [], row });
export const lockProvider = defineQuery({ name: "lock-provider", source: lockSource, params: ["provider"], row });
export const putProvider = defineQuery({
  name: "put-provider",
  source: putSource,
  params: ["provider", "name", "kind", "enabled", "description", "secrets", "dueAtMs", "replaces"],
  row: touched,
});
export const deleteProvider = defineQuery({
  name: "delete-provider",
  source: deleteSource,
  params: ["provider"],
  row: touched,
});
export const claimProvider = defineQuery({
  name: "claim-provider",
  source: claimSource,
  params: ["provider", "dueAtMs", "nextDueAtMs", "nowMs", "day", "requests"],
  row: touched,
});
export const finishFetch = defineQuery({
  name: "finish-fetch",
  source: finishSource,
  params: ["provider", "succeeded", "nowMs", "retryAtMs", "report"],
  row: z.object({ failures: z.int() }),
});
export const refreshProvider = defineQuery({
  name: "refresh-provider",
  source: refreshSource,
  params: ["provider", "nowMs", "acceptsJumps"],
  row: touched,
});
export const demandProvider = defineQuery({
  name: "demand-provider",
  source: demandSource,
  params: ["provider", "nowMs", "attemptedBeforeMs"],
  row: touched,
});
export const noteRequests = defineQuery({
  name: "note-requests",
  source: noteSource,
  params: ["provider", "nowMs", "day", "requests", "attemptedBeforeMs", "requestsMax"],
  row: touched,
});
