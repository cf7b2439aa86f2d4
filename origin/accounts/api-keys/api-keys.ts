import type { Clock } from "../../../shared/clock.ts";
import { type FillRandom, newId, newSecret } from "../../../shared/ids.ts";
import { fail, ok, type Result } from "../../../shared/result.ts";
import type { Database } from "../../db/database.ts";
import type { KeyCopies } from "./key-copies.ts";
import {
  type ApiKey,
  countApiKeys,
  insertApiKey,
  listAllApiKeys,
  listApiKeys,
  listChangedApiKeys,
  lockUser,
  type Permission,
  resealApiKey,
  revokeApiKey,
} from "./key-queries.ts";
import type { Seal } from "./seal.ts";

/**
 * API keys: created and revoked in the record first, served from their copies. The secret is shown once, when the key
 * is created.
 */
export type ApiKeys = {
  readonly create: (
    userId: string,
    key: NewApiKey,
  ) => Promise<Result<{ readonly key: ApiKey; readonly secret: string }, "key_limit_reached">>;
  readonly list: (userId: string) => Promise<readonly ApiKey[]>;
  /** False when this user has no such key. */
  readonly revoke: (userId: string, keyId: string) => Promise<boolean>;
  /** Updates the copies from the record; the first time all of them, sealed with the active key. */
  readonly copy: () => Promise<void>;
};

export type NewApiKey = {
  readonly label: string;
  readonly permissions: readonly Permission[];
  readonly cidrs: readonly string[];
  readonly expiresAt: number | null;
};

const KEYS_MAX = 20;
const PAGE = 500;
/** Longer than a transaction may last. */
const OVERLAP_MS = 15_000;

type KeyParts = {
  readonly database: Database;
  readonly copies: KeyCopies;
  readonly seal: Seal;
  readonly random: FillRandom;
  readonly clock: Clock;
};

export function createApiKeys({ database, copies, seal, random, clock }: KeyParts): ApiKeys {
  let lastMs: number | undefined;

  /** Reseals a key whose secret was sealed with an older version, so that the old version can be removed. */
  async function current(key: ApiKey): Promise<ApiKey> {
    if (!seal.isOutdated(key.sealedSecret)) return key;
    const owner = { kind: "api-key", userId: key.userId, id: key.id } as const;
    const sealedAfter = seal.seal(seal.open(key.sealedSecret, owner), owner);
    const resealed = await resealApiKey.first(database, { id: key.id, sealedBefore: key.sealedSecret, sealedAfter });
    return resealed ?? key;
  }

  async function copyAll(): Promise<void> {
    let afterId = "";
    for (;;) {
      const keys = await listAllApiKeys.all(database, { afterId, limit: PAGE });
      for (const key of keys) await copies.put(await current(key));
      afterId = keys.at(-1)?.id ?? "";
      if (keys.length < PAGE) return;
    }
  }

  async function copyChanges(lastSeenMs: number): Promise<number> {
    let page = { sinceMs: lastSeenMs - OVERLAP_MS, afterId: "" };
    for (;;) {
      const changed = await listChangedApiKeys.all(database, { ...page, limit: PAGE });
      for (const key of changed) await copies.put(key);
      const last = changed.at(-1);
      if (last !== undefined) page = { sinceMs: last.updatedAt, afterId: last.id };
      if (changed.length < PAGE) return Math.max(lastSeenMs, page.sinceMs);
    }
  }

  return {
    async create(userId, { label, permissions, cidrs, expiresAt }) {
      const id = newId(random);
      const secret = newSecret(random);
      const sealedSecret = seal.seal(secret, { kind: "api-key", userId, id });
      const key = await database.transaction(async (tx) => {
        // Counted by a separate statement: one that waits for the lock would still see the state from before it waited.
        await lockUser.first(tx, { userId });
        const held = await countApiKeys.first(tx, { userId });
        if (held === undefined || held.count >= KEYS_MAX) return undefined;
        return insertApiKey.first(tx, { id, userId, label, permissions, cidrs, sealedSecret, expiresAtMs: expiresAt });
      });
      if (key === undefined) return fail("key_limit_reached");
      await copies.put(key);
      return ok({ key, secret });
    },
    list: (userId) => listApiKeys.all(database, { userId }),
    async revoke(userId, keyId) {
      const revoked = await database.transaction((tx) => revokeApiKey.first(tx, { id: keyId, userId }));
      if (revoked !== undefined) await copies.put(revoked);
      return revoked !== undefined;
    },
    async copy() {
      const nowMs = clock.nowMs();
      if (lastMs === undefined) {
        await copyAll();
        lastMs = nowMs;
      } else {
        lastMs = await copyChanges(lastMs);
      }
    },
  };
}
