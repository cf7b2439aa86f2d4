import { z } from "zod";
import { defineQuery } from "../../db/define-query.ts";
import countSource from "./count-api-keys.sql";
import insertSource from "./insert-api-key.sql";
import listAllSource from "./list-all-api-keys.sql";
import listSource from "./list-api-keys.sql";
import listChangedSource from "./list-changed-api-keys.sql";
import lockUserSource from "./lock-user.sql";
import noteUsesSource from "./note-key-uses.sql";
import resealSource from "./reseal-api-key.sql";
import revokeSource from "./revoke-api-key.sql";

/** Permissions of a key: to read, to trade, to withdraw. */
export const PERMISSIONS = ["info", "trade", "withdraw"] as const;
export type Permission = (typeof PERMISSIONS)[number];

export type ApiKey = z.output<typeof row>;

const row = z.object({
  id: z.string(),
  userId: z.string(),
  label: z.string(),
  permissions: z.array(z.enum(PERMISSIONS)),
  cidrs: z.array(z.string()),
  sealedSecret: z.string(),
  isRevoked: z.boolean(),
  revision: z.int(),
  expiresAt: z.number().nullable(),
  createdAt: z.number(),
  updatedAt: z.number(),
  lastUsedAt: z.number().nullable(),
});

export const lockUser = defineQuery({
  name: "lock-user",
  source: lockUserSource,
  params: ["userId"],
  row: z.unknown(),
});
export const countApiKeys = defineQuery({
  name: "count-api-keys",
  source: countSource,
  params: ["userId"],
  row: z.object({ count: z.int() }),
});
export const insertApiKey = defineQuery({
  name: "insert-api-key",
  source: insertSource,
  params: ["id", "userId", "label", "permissions", "cidrs", "sealedSecret", "expiresAtMs"],
  row,
});
export const listApiKeys = defineQuery({ name: "list-api-keys", source: listSource, params: ["userId"], row });
export const revokeApiKey = defineQuery({
  name: "revoke-api-key",
  source: revokeSource,
  params: ["id", "userId"],
  row,
});
export const listChangedApiKeys = defineQuery({
  name: "list-changed-api-keys",
  source: listChangedSource,
  params: ["sinceMs", "afterId", "limit"],
  row,
});
export const listAllApiKeys = defineQuery({
  name: "list-all-api-keys",
  source: listAllSource,
  params: ["afterId", "limit"],
  row,
});
export const resealApiKey = defineQuery({
  name: "reseal-api-key",
  source: resealSource,
  params: ["id", "sealedBefore", "sealedAfter"],
  row,
});
export const noteKeyUses = defineQuery({
  name: "note-key-uses",
  source: noteUsesSource,
  params: ["ids", "timesMs"],
  row: z.unknown(),
});
