import type { Redis } from "ioredis";
import type { Clock } from "../../shared/clock.ts";
import type { AccessTokens } from "./access-tokens.ts";
import { userKey } from "./keys.ts";
import { createStandingReader, type Standing } from "./session-standing.ts";
import type { User } from "./user.ts";
import { readUserCopy } from "./user-copies.ts";

/**
 * Whose access token it is, as the account stands now; undefined for a token that is not ours, has run out, or belongs to a session
 * that was ended. The token says who; whether the session still stands and what the person may do is asked each time, in one round trip, so that
 * every change holds at once.
 */
export type ReadSession = (accessToken: string) => Promise<TokenSession | undefined>;

export type TokenSession = { readonly user: User; readonly sessionId: string; readonly expiresAtMs: number };

type ReaderParts = {
  readonly redis: Redis;
  /** A connection of its own. */
  readonly rawRedis: Redis;
  readonly accessTokens: AccessTokens;
  readonly clock: Clock;
};

/** Some 500 bytes each. */
const USERS_REMEMBERED_MAX = 10_000;

export function createSessionReader({ redis, rawRedis, accessTokens, clock }: ReaderParts): ReadSession {
  const readStanding = createStandingReader(rawRedis);
  /** Copies as they were read last. One is used only while Redis says that it still stands at the same revision, status and role. */
  const users = new Map<string, User>();

  async function readUser(userId: string, standing: Standing): Promise<User | undefined> {
    const known = users.get(userId);
    if (known !== undefined && isCurrent(known, standing)) return known;
    const user = readUserCopy(await redis.hgetall(userKey(userId)));
    users.delete(userId);
    if (user !== undefined) users.set(userId, user);
    const oldest = users.size > USERS_REMEMBERED_MAX ? users.keys().next() : undefined;
    if (oldest?.done === false) users.delete(oldest.value);
    return user;
  }

  return async (accessToken) => {
    const claims = await accessTokens.read(accessToken, clock.nowMs());
    if (claims === undefined) return undefined;
    const { userId, sessionId, expiresAtSeconds } = claims;
    const standing = await readStanding(userId, sessionId);
    if (!standing.isOpen || standing.status !== "active") return undefined;
    const user = await readUser(userId, standing);
    return user?.status === "active" ? { user, sessionId, expiresAtMs: expiresAtSeconds * 1000 } : undefined;
  };
}

function isCurrent(user: User, { revision, status, role }: Standing): boolean {
  return String(user.revision) === revision && user.status === status && user.role === role;
}
