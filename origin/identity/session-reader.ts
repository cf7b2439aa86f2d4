import type { Redis } from "ioredis";
import type { Clock } from "../../shared/clock.ts";
import { replies } from "../redis/pipeline.ts";
import type { AccessTokens } from "./access-tokens.ts";
import { sessionsKey, userKey } from "./keys.ts";
import type { User } from "./user.ts";
import { readUserCopy } from "./user-copies.ts";

/**
 * Whose access token it is, as the account stands now; undefined for a token that is not ours, has run out, or belongs to a session
 * that was ended. The token says who; whether the session still stands and what the person may do is asked each time, in one round trip, so that
 * every change holds at once.
 */
export type ReadSession = (accessToken: string) => Promise<TokenSession | undefined>;

export type TokenSession = { readonly user: User; readonly sessionId: string; readonly expiresAtMs: number };

type ReaderParts = { readonly redis: Redis; readonly accessTokens: AccessTokens; readonly clock: Clock };

export function createSessionReader({ redis, accessTokens, clock }: ReaderParts): ReadSession {
  return async (accessToken) => {
    const claims = await accessTokens.read(accessToken, clock.nowMs());
    if (claims === undefined) return undefined;
    const { userId, sessionId, expiresAtSeconds } = claims;
    const [isOpen, copy] = await replies(redis.pipeline().hexists(sessionsKey(userId), sessionId).hgetall(userKey(userId)));
    const user = isOpen === 1 ? readUserCopy(copy) : undefined;
    return user?.status === "active" ? { user, sessionId, expiresAtMs: expiresAtSeconds * 1000 } : undefined;
  };
}
