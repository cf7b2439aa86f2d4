import type { Redis } from "ioredis";
import { z } from "zod";
import { defineScript } from "../../../shared/store/define-script.ts";
import { gatherCalls } from "../../../shared/store/gather-calls.ts";
import { replies } from "../../redis/pipeline.ts";
import { scriptRunner } from "../../redis/script-runner.ts";
import { userKey } from "../identity/keys.ts";
import { type ApiKey, PERMISSIONS } from "./key-queries.ts";
import putApiKeySource from "./put-api-key.lua";

/** The copies of API keys in Redis, with sealed secrets, and the signatures that were used. */
export type KeyCopies = {
  readonly put: (key: ApiKey) => Promise<void>;
  readonly read: (keyId: string) => Promise<KeyCopy | undefined>;
  /** Calls that arrive while others are pending share the next round trip. */
  readonly use: (use: KeyUse) => Promise<KeyUsed>;
  /** The same without remembering a signature: nothing is written. */
  readonly look: (look: KeyLook) => Promise<KeyStanding>;
};

export type KeyCopy = z.output<typeof copySchema>;
type KeyLook = { readonly keyId: string; readonly userId: string };
type KeyUse = KeyLook & { readonly signature: string; readonly rememberMs: number };

type KeyUsed = KeyStanding & {
  /** Whether this is the first request with this signature; it is remembered from now on. */
  readonly isFresh: boolean;
};

type KeyStanding = {
  /** The revision of the key's copy; null when there is none. */
  readonly revision: string | null;
  /** Its owner as HGETALL gives it. */
  readonly user: unknown;
};

export const apiKeyKey = (keyId: string) => `apikey:{${keyId}}`;
/** The most signed requests in one round trip. */
const USES_MAX = 256;
/** Half of the signature is enough: 128 bits. */
const SIGNATURE_CHARS_KEPT = 32;

/** The remembered part of a signature. */
export const nonceOf = (signature: string) => signature.slice(0, SIGNATURE_CHARS_KEPT);

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
  let underWay: Promise<unknown> = Promise.resolve();

  async function sendUses(uses: readonly KeyUse[]): Promise<readonly KeyUsed[]> {
    const pipeline = redis.pipeline();
    for (const { keyId, userId, signature, rememberMs } of uses) {
      const key = apiKeyKey(keyId);
      pipeline.set(`${key}:seen:${nonceOf(signature)}`, "1", "PX", rememberMs, "NX");
      pipeline.hget(key, "revision").hgetall(userKey(userId));
    }
    const answers = await replies(pipeline);
    return uses.map((_, index) => {
      const [isSet, revision, user] = answers.slice(3 * index, 3 * index + 3);
      return { isFresh: isSet === "OK", revision: revision as string | null, user };
    });
  }

  async function sendLooks(looks: readonly KeyLook[]): Promise<readonly KeyStanding[]> {
    const pipeline = redis.pipeline();
    for (const { keyId, userId } of looks) pipeline.hget(apiKeyKey(keyId), "revision").hgetall(userKey(userId));
    const answers = await replies(pipeline);
    return looks.map((_, index) => ({ revision: answers[2 * index] as string | null, user: answers[2 * index + 1] }));
  }

  const lookTogether = gatherCalls<KeyLook, KeyStanding>({
    send: sendLooks,
    atEndOfTurn: (callBack) => void setImmediate(callBack),
    callsMax: USES_MAX,
  });

  const useTogether = gatherCalls<KeyUse, KeyUsed>({
    send: (uses) => {
      const sent = sendUses(uses);
      underWay = sent.catch(() => {});
      return sent;
    },
    // Redis syncs each write to disk before it answers: calls that arrive meanwhile are written together, with one
    // sync.
    atEndOfTurn: (callBack) => void underWay.then(() => setImmediate(callBack)),
    callsMax: USES_MAX,
  });

  return {
    async put({ id, permissions, cidrs, expiresAt, isRevoked, ...key }) {
      const lists = { permissions: JSON.stringify(permissions), cidrs: JSON.stringify(cidrs) };
      const isActive = isRevoked ? ("false" as const) : ("true" as const);
      await putApiKey.run(runner, {
        keys: { key: apiKeyKey(id) },
        args: { ...key, id, ...lists, expiresAt: expiresAt ?? "", isActive },
      });
    },
    read: async (keyId) => copySchema.safeParse(await redis.hgetall(apiKeyKey(keyId))).data,
    use: (use) => useTogether("", use),
    look: (look) => lookTogether("", look),
  };
}
