import type { Redis } from "ioredis";
import { replies } from "../../redis/pipeline.ts";
import { userKey } from "../identity/keys.ts";
import type { User } from "../identity/user.ts";
import { apiKeyKey } from "./key-copies.ts";

/**
 * Notifies holders of an API key, for example sockets, when it is revoked or its owner's account changes: checked every
 * second. While Redis is unavailable nothing is known, and they stay.
 */
export type HeldKeys = {
  /** Returns how to release it. */
  readonly hold: (key: HeldKey) => () => void;
  readonly stop: () => void;
};

type HeldKey = {
  readonly userId: string;
  readonly keyId: string;
  /** The owner's role when it was used. */
  readonly role: User["role"];
  readonly onEnd: (reason: "session_ended" | "role_changed") => void;
};

const LOOK_EVERY_MS = 1_000;
/** The most keys per round trip. */
const BATCH = 500;

export function openHeldKeys({ redis }: { readonly redis: Redis }): HeldKeys {
  const held = new Set<HeldKey>();
  let isStopped = false;

  async function check(keys: readonly HeldKey[]): Promise<void> {
    const pipeline = redis.pipeline();
    for (const { keyId, userId } of keys)
      pipeline.hget(apiKeyKey(keyId), "is_active").hmget(userKey(userId), "status", "role");
    const answers = await replies(pipeline);
    for (const [index, key] of keys.entries()) {
      const [status, role] = answers[2 * index + 1] as [string | null, string | null];
      const isEnded = answers[2 * index] !== "true" || status !== "active";
      if ((isEnded || role !== key.role) && held.delete(key)) key.onEnd(isEnded ? "session_ended" : "role_changed");
    }
  }

  async function look(): Promise<void> {
    try {
      const all = [...held];
      for (let from = 0; from < all.length; from += BATCH) await check(all.slice(from, from + BATCH));
    } catch {
      // Redis is unavailable; health reports it, and the next check comes soon.
    } finally {
      if (!isStopped) timer.refresh();
    }
  }

  const timer = setTimeout(() => void look(), LOOK_EVERY_MS);
  timer.unref();
  return {
    hold(key) {
      held.add(key);
      return () => held.delete(key);
    },
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}
