import type { Redis } from "ioredis";
import type { Command } from "../redis-rest/command.ts";
import { encodeCommands } from "../redis-rest/encode-commands.ts";
import { createRedisLane } from "../redis-rest/redis-lane.ts";
import { REQUEST_TIMEOUT_MS } from "../redis-rest/store.ts";
import { sessionsKey, userKey } from "./keys.ts";

/** Whether a session is open, and what of its user's copy can change what the user may do. */
export type ReadStanding = (userId: string, sessionId: string) => Promise<Standing>;

export type Standing = { readonly isOpen: boolean; readonly revision: string; readonly status: string; readonly role: string };

/** The two replies: whether the session is there, and the three fields. A field that is missing is `$-1`. */
const REPLIES = /^:([01])\r\n\*3\r\n(?:\$-1|\$\d+\r\n(\d+))\r\n(?:\$-1|\$\d+\r\n(\w+))\r\n(?:\$-1|\$\d+\r\n(\w+))\r\n/;
const REPLY_CHARS_MAX = 160;

/**
 * Every request of a signed-in user asks this, so the bytes are put together here, and all requests of one turn of the event loop leave in
 * one write: two commands through ioredis took a tenth of an order's time. `redis` must be used for nothing else.
 */
export function createStandingReader(redis: Redis): ReadStanding {
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

/** As ioredis names what Redis refuses. */
function replyError(text: string): Error {
  const message = /(?:^|\n)-([^\r]*)/.exec(text)?.[1];
  const error = new Error(message ?? "a session was answered in an unknown shape");
  if (message !== undefined) error.name = "ReplyError";
  return error;
}
