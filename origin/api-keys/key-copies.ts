import type { Redis } from "ioredis";
import { z } from "zod";
import { defineScript } from "../../shared/define-script.ts";
import { userKey } from "../identity/keys.ts";
import { replies } from "../redis/pipeline.ts";
import { scriptRunner } from "../redis/script-runner.ts";
import { type ApiKey, PERMISSIONS } from "./key-queries.ts";
import putApiKeySource from "./put-api-key.lua";

/** The copies of API keys in Redis, their secrets sealed, and the memory of signatures that were used. */
export type KeyCopies = {
  readonly put: (key: ApiKey) => Promise<void>;
  readonly read: (keyId: string) => Promise<KeyCopy | undefined>;
  /** One round trip with native commands alone: each signed request pays for it. */
  readonly use: (use: KeyUse) => Promise<KeyUsed>;
};

export type KeyCopy = z.output<typeof copySchema>;
type KeyUse = { readonly keyId: string; readonly userId: string; readonly signature: string; readonly rememberMs: number };

type KeyUsed = {
  /** The first request with this signature; it is remembered from now on. */
  readonly isFresh: boolean;
  /** What the key's copy stands at; null when it is gone. */
  readonly revision: string | null;
  /** Its owner as HGETALL gives it. */
  readonly user: unknown;
};

const apiKeyKey = (keyId: string) => `apikey:{${keyId}}`;
/** Half of the signature is as good as all of it: 128 bits. */
const SIGNATURE_CHARS_KEPT = 32;

const putApiKey = defineScript({
  name: "put-api-key",
  source: putApiKeySource,
  keys: ["key"],
  args: {
    revision: z.int(),
    id: z.string(),
    userId: z.string(),
    sealedSecret: z.string(),
    permissions: z.string(),
    cidrs: z.string(),
    expiresAt: z.union([z.number(), z.literal("")]),
    isActive: z.enum(["true", "false"]),
  },
  reply: z.int(),
});

const json = z.string().transform((text): unknown => JSON.parse(text));

const copySchema = z
  .object({
    id: z.string(),
    user_id: z.string(),
    encrypted_secret: z.string(),
    permissions: json.pipe(z.array(z.enum(PERMISSIONS))),
    cidrs: json.pipe(z.array(z.string())),
    expires_at: z.string().transform((text) => (text === "" ? undefined : Number(text))),
    revision: z.coerce.number(),
    is_active: z.literal("true"),
  })
  .transform(({ user_id: userId, encrypted_secret: sealedSecret, expires_at: expiresAt, ...rest }) => {
    return { ...rest, userId, sealedSecret, expiresAt };
  });

export function openKeyCopies(redis: Redis): KeyCopies {
  const runner = scriptRunner(redis);
  return {
    async put({ id, permissions, cidrs, expiresAt, isRevoked, ...key }) {
      const lists = { permissions: JSON.stringify(permissions), cidrs: JSON.stringify(cidrs) };
      const isActive = isRevoked ? ("false" as const) : ("true" as const);
      await putApiKey.run(runner, { keys: { key: apiKeyKey(id) }, args: { ...key, id, ...lists, expiresAt: expiresAt ?? "", isActive } });
    },
    read: async (keyId) => copySchema.safeParse(await redis.hgetall(apiKeyKey(keyId))).data,
    async use({ keyId, userId, signature, rememberMs }) {
      const key = apiKeyKey(keyId);
      const seen = `${key}:seen:${signature.slice(0, SIGNATURE_CHARS_KEPT)}`;
      const pipeline = redis.pipeline().set(seen, "1", "PX", rememberMs, "NX").hget(key, "revision").hgetall(userKey(userId));
      const [isSet, revision, user] = await replies(pipeline);
      return { isFresh: isSet === "OK", revision: revision as string | null, user };
    },
  };
}
