import { z } from "zod";
import type { Clock } from "../../../shared/clock.ts";
import { parseRange } from "../../../shared/net/ip-range.ts";
import type { ApiKeys } from "../../accounts/api-keys/api-keys.ts";
import { type ApiKey, PERMISSIONS } from "../../accounts/api-keys/key-queries.ts";
import { userOperation, type VenueOperation } from "../operation.ts";
import { answerSchemas, bodySchemas } from "../schemas.ts";

const LABEL_CHARS_MAX = 64;
const CIDRS_MAX = 20;
/** The end of the year 9999: later times have another format. */
const EXPIRES_AT_MAX = 253_402_300_799_999;

export const labelField = z.string().trim().min(1).max(LABEL_CHARS_MAX);
export const keyIdField = z.string().regex(/^[\w-]{22}$/, "must be the 22 characters of a key's id");

const cidrField = z
  .string()
  .max(64)
  .superRefine((text, ctx) => {
    const range = parseRange(text);
    if (!range.ok) ctx.addIssue({ code: "custom", message: range.reason });
  });

const newKeySchema = z
  .strictObject({
    label: labelField,
    permissions: z
      .array(z.enum(PERMISSIONS))
      .min(1)
      .max(PERMISSIONS.length)
      .refine((list) => new Set(list).size === list.length, "must not name one twice"),
    cidrs: z
      .array(cidrField)
      .max(CIDRS_MAX)
      .default([])
      .describe("Addresses and networks that may use it; empty for any."),
    expiresAt: z.int().positive().max(EXPIRES_AT_MAX).nullable().default(null),
  })
  .meta({ examples: [{ label: "my program", permissions: ["info", "trade"] }] })
  .register(bodySchemas, { id: "NewApiKey" });

const keyFields = {
  id: z.string(),
  label: z.string(),
  permissions: z.array(z.enum(PERMISSIONS)),
  cidrs: z.array(z.string()),
  expiresAt: z.int().nullable(),
  createdAt: z.int(),
  lastUsedAt: z.int().nullable().describe("To the minute."),
};

const keySchema = z.strictObject(keyFields).register(answerSchemas, { id: "ApiKey" });
const createdKeySchema = z
  .strictObject({ ...keyFields, secret: z.string().describe("Shown only once. Sign requests with it.") })
  .register(answerSchemas, { id: "CreatedApiKey" });
const keyListSchema = z.strictObject({ keys: z.array(keySchema) }).register(answerSchemas, { id: "ApiKeyList" });

export function apiKeyOperations({
  apiKeys,
  clock,
}: {
  readonly apiKeys: ApiKeys;
  readonly clock: Clock;
}): readonly VenueOperation[] {
  return [
    userOperation({
      method: "get",
      path: "/api-keys",
      id: "listApiKeys",
      summary: "My API keys, the newest first; at most 20",
      limit: "read",
      answers: { 200: { description: "All keys, without their secrets.", schema: keyListSchema } },
      refusals: ["database_unavailable"],
      async run({ answer, identity }) {
        const keys = await apiKeys.list(identity.user.id);
        return answer(200, { keys: keys.map(publicKey) });
      },
    }),
    userOperation({
      method: "post",
      path: "/api-keys",
      id: "createApiKey",
      summary: "Create a key with which a program signs its requests",
      limit: "change",
      body: { schema: newKeySchema },
      answers: { 201: { description: "The only answer with the secret.", schema: createdKeySchema } },
      refusals: ["key_limit_reached", "database_unavailable"],
      async run({ answer, refuse, identity }, { body }) {
        if (body.expiresAt !== null && body.expiresAt <= clock.nowMs()) {
          return refuse("validation_failed", { errors: [{ field: "expiresAt", message: "must lie ahead" }] });
        }
        const created = await apiKeys.create(identity.user.id, body);
        return created.ok
          ? answer(201, { ...publicKey(created.value.key), secret: created.value.secret })
          : refuse(created.reason);
      },
    }),
    userOperation({
      method: "delete",
      path: "/api-keys/{keyId}",
      id: "revokeApiKey",
      summary: "Revoke a key immediately, in every process",
      limit: "change",
      params: z.strictObject({ keyId: keyIdField }),
      answers: { 204: { description: "Ended." } },
      refusals: ["key_not_found", "database_unavailable"],
      async run({ answer, refuse, identity }, { params: { keyId } }) {
        return (await apiKeys.revoke(identity.user.id, keyId)) ? answer(204) : refuse("key_not_found");
      },
    }),
  ];
}

function publicKey({
  id,
  label,
  permissions,
  cidrs,
  expiresAt,
  createdAt,
  lastUsedAt,
}: ApiKey): z.input<typeof keySchema> {
  return { id, label, permissions, cidrs, expiresAt, createdAt, lastUsedAt };
}
