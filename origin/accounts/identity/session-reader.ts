import type { Redis } from "ioredis";
import type { Clock } from "../../../shared/clock.ts";
import { type Command, encodeCommands } from "../../../stack/program/resp/encode-commands.ts";
import { createRedisLane, REQUEST_TIMEOUT_MS } from "../../../stack/program/resp/redis-lane.ts";
import type { AccessTokens } from "./access-tokens.ts";
import { sessionsKey, userKey } from "./keys.ts";
import type { User } from "./user.ts";
import { readUserCopy } from "./user-copies.ts";

/**
 * The user and session of an access token, with the current state of the account; undefined for an invalid or expired
 * token and for a session that has ended. The token names the user; session, status and role are read each time, in one
 * round trip, so that every change applies immediately.
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
  /** Copies as last read. A copy is used only while Redis confirms its revision, status and role. */
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

/** Whether a session is open, and the fields of the user's copy that decide what the user may do. */
type ReadStanding = (userId: string, sessionId: string) => Promise<Standing>;

type Standing = { readonly isOpen: boolean; readonly revision: string; readonly status: string; readonly role: string };

/** The two replies: whether the session exists, and the three fields. A missing field is `$-1`. */
const REPLIES = /^:([01])\r\n\*3\r\n(?:\$-1|\$\d+\r\n(\d+))\r\n(?:\$-1|\$\d+\r\n(\w+))\r\n(?:\$-1|\$\d+\r\n(\w+))\r\n/;
const REPLY_CHARS_MAX = 160;

/**
 * Every request of a signed-in user reads this, so the bytes are encoded here, and all requests of one event-loop turn
 * are sent in one write: two commands through ioredis took a tenth of an order's time. `redis` must be used for nothing
 * else.
 */
function createStandingReader(redis: Redis): ReadStanding {
  const lane = createRedisLane(redis, REQUEST_TIMEOUT_MS);
  return (userId, sessionId) =>
    new Promise((resolve, reject) => {
      const commands: readonly Command[] = [
        ["HEXISTS", sessionsKey(userId), sessionId],
        ["HMGET", userKey(userId), "revision", "status", "role"],
      ];
      lane.send(encodeCommands(commands, true), {
        replyCount: commands.length,
        onReplies: (bytes, from) => {
          const text = bytes.toString("latin1", from, from + REPLY_CHARS_MAX);
          const [, isOpen, revision = "", status = "", role = ""] = REPLIES.exec(text) ?? [];
          if (isOpen === undefined) reject(replyError(text));
          else resolve({ isOpen: isOpen === "1", revision, status, role });
        },
        onFailure: (failure) => reject(new Error(`Connection is closed: ${failure}`)),
      });
    });
}

/** The error name that ioredis uses for a reply of Redis. */
function replyError(text: string): Error {
  const message = /(?:^|\n)-([^\r]*)/.exec(text)?.[1];
  const error = new Error(message ?? "Redis answered a session in an unknown format");
  if (message !== undefined) error.name = "ReplyError";
  return error;
}
