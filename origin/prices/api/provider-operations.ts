import { z } from "zod";
import { actorOf } from "../../api/accounts/admin-operations.ts";
import { adminOperation, type VenueOperation } from "../../api/operation.ts";
import { answerSchemas, bodySchemas } from "../../api/schemas.ts";
import type { createDryRun } from "../fetch/dry-run.ts";
import { providerField } from "../items/item.ts";
import { PROVIDER_KINDS, providerDescriptionSchema, secretNames } from "../providers/describe-provider.ts";
import type { ProviderAdmin } from "../providers/provider-admin.ts";
import { type ProviderRow, reportSchema } from "../providers/provider-queries.ts";

const providerSchema = z
  .strictObject({
    provider: z.string(),
    name: z.string(),
    kind: z.enum(PROVIDER_KINDS),
    enabled: z.boolean(),
    description: z.record(z.string(), z.unknown()),
    secrets: z.array(z.string()).describe("Their names; a secret is never shown."),
    missingSecrets: z.array(z.string()),
    dueAt: z.int(),
    attemptedAt: z.int().nullable(),
    succeededAt: z.int().nullable(),
    failures: z.int().describe("In a row; the next attempt waits longer after each."),
    requestsOfDay: z.int(),
    report: reportSchema.describe("The outcome of the last attempt."),
  })
  .register(answerSchemas, { id: "PriceProvider" });

const providerListSchema = z
  .strictObject({ providers: z.array(providerSchema) })
  .register(answerSchemas, { id: "PriceProviderList" });

const secretField = z
  .string()
  .min(1)
  .max(500)
  .regex(/^[\x21-\x7e ]+$/, "must be printable ASCII");
const wantedSchema = z
  .strictObject({
    name: z.string().trim().min(1).max(60),
    enabled: z.boolean(),
    description: providerDescriptionSchema,
    secrets: z
      .record(z.string().regex(/^[a-z][a-z0-9_]{0,31}$/), secretField.nullable())
      .refine((secrets) => Object.keys(secrets).length <= 10, "must be at most 10 secrets")
      .default({})
      .describe("Sealed at once. Names that are left out keep their secret; null removes one."),
  })
  .register(bodySchemas, { id: "WantedPriceProvider" });

const refreshSchema = z
  .strictObject({
    acceptJumps: z.boolean().default(false).describe("Accept prices that differ more than an item allows."),
  })
  .register(bodySchemas, { id: "PriceRefresh" });

const dryRunBody = z
  .strictObject({ description: providerDescriptionSchema.optional() })
  .register(bodySchemas, { id: "PriceDryRun" });

const dryRunSchema = z
  .strictObject({
    fault: z.string().nullable(),
    fetchMs: z.number(),
    quotes: z.int().describe("How many prices the answer has."),
    items: z.array(
      z.strictObject({
        itemCode: z.string(),
        key: z.string().nullable(),
        text: z.string().nullable().describe("As the provider wrote it."),
        price: z.string().nullable(),
        unit: z.string(),
        lastPrice: z.string().nullable(),
        refusal: z.string().nullable(),
      }),
    ),
  })
  .register(answerSchemas, { id: "PriceDryRunResult" });

const params = z.strictObject({ provider: providerField });
/** A description with a table of a thousand keys. */
const BODY_BYTES_MAX = 256 * 1024;

type Parts = { readonly providers: ProviderAdmin; readonly dryRun: ReturnType<typeof createDryRun> };

/** The providers of prices, for admins. */
export function providerOperations({ providers, dryRun }: Parts): readonly VenueOperation[] {
  return [
    adminOperation({
      method: "get",
      path: "/admin/price-providers",
      id: "listPriceProviders",
      summary: "The providers, with the report of the last attempt",
      limit: "admin",
      answers: { 200: { description: "All.", schema: providerListSchema } },
      refusals: ["database_unavailable"],
      run: async ({ answer }) => answer(200, { providers: (await providers.list()).map(shown) }),
    }),
    adminOperation({
      method: "get",
      path: "/admin/price-providers/{provider}",
      id: "readPriceProvider",
      summary: "One provider",
      limit: "admin",
      params,
      answers: { 200: { description: "The provider.", schema: providerSchema } },
      refusals: ["provider_not_found", "database_unavailable"],
      run: async (caller, { params: { provider } }) => {
        const row = await providers.find(provider);
        return row === undefined ? caller.refuse("provider_not_found") : caller.answer(200, shown(row));
      },
    }),
    adminOperation({
      method: "put",
      path: "/admin/price-providers/{provider}",
      id: "putPriceProvider",
      summary: "Create a provider or replace its description; it is due at once",
      limit: "admin",
      params,
      body: { schema: wantedSchema, bytesMax: BODY_BYTES_MAX },
      answers: { 200: { description: "Written.", schema: providerSchema } },
      refusals: ["database_unavailable"],
      run: async (caller, { params: { provider }, body }) =>
        caller.answer(200, shown(await providers.put(actorOf(caller), { provider, ...body }))),
    }),
    adminOperation({
      method: "delete",
      path: "/admin/price-providers/{provider}",
      id: "deletePriceProvider",
      summary: "Delete a provider that no item uses",
      limit: "admin",
      params,
      answers: { 204: { description: "Deleted." } },
      refusals: ["provider_not_found", "provider_in_use", "database_unavailable"],
      run: async (caller, { params: { provider } }) => {
        const removed = await providers.remove(actorOf(caller), provider);
        return removed.ok ? caller.answer(204) : caller.refuse(removed.reason);
      },
    }),
    adminOperation({
      method: "post",
      path: "/admin/price-providers/{provider}/refresh",
      id: "refreshPriceProvider",
      summary: "Fetch now, within a second, instead of at the due time",
      limit: "admin",
      params,
      body: { schema: refreshSchema },
      answers: { 202: { description: "It is due now." } },
      refusals: ["provider_not_found", "provider_disabled", "database_unavailable"],
      run: async (caller, { params: { provider }, body: { acceptJumps: acceptsJumps } }) => {
        const asked = await providers.refresh(actorOf(caller), { provider, acceptsJumps });
        return asked.ok ? caller.answer(202, {}) : caller.refuse(asked.reason);
      },
    }),
    adminOperation({
      method: "post",
      path: "/admin/price-providers/{provider}/dry-run",
      id: "dryRunPriceProvider",
      summary: "Ask the provider once and show what each item would become; no price is written",
      limit: "admin",
      params,
      body: { schema: dryRunBody, bytesMax: BODY_BYTES_MAX },
      answers: {
        200: { description: "The prices that were found, or the reason why there are none.", schema: dryRunSchema },
      },
      refusals: ["provider_not_found", "rate_limited", "database_unavailable"],
      run: async (caller, { params: { provider }, body: { description } }) => {
        const row = await providers.find(provider);
        if (row === undefined) return caller.refuse("provider_not_found");
        const result = await dryRun(row, description);
        if (result.ok) return caller.answer(200, result.value);
        return caller.refuse("rate_limited", { retryAfterSeconds: RETRY_AFTER_SECONDS, detail: LIMIT_TEXT });
      },
    }),
  ];
}

const RETRY_AFTER_SECONDS = 60;
const LIMIT_TEXT = "The provider's own limit of requests does not allow another one yet.";

function shown(row: ProviderRow) {
  const { secrets, requestsDay: _day, acceptsJumps: _acceptsJumps, ...rest } = row;
  const whole = (atMs: number | null) => (atMs === null ? null : Math.round(atMs));
  return {
    ...rest,
    dueAt: Math.round(row.dueAt),
    attemptedAt: whole(row.attemptedAt),
    succeededAt: whole(row.succeededAt),
    secrets: Object.keys(secrets),
    missingSecrets: secretsWanted(row).filter((name) => secrets[name] === undefined),
  };
}

function secretsWanted({ description }: ProviderRow): readonly string[] {
  if (description.kind !== "http") return [];
  const texts = description.requests.flatMap(({ url, headers }) => [url, ...Object.values(headers)]);
  return [...new Set(texts.flatMap(secretNames))];
}
