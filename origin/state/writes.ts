import type { Redis } from "ioredis";
import { assert } from "../../shared/assert.ts";
import { encodeCommands } from "../redis-rest/encode-commands.ts";
import { createRedisLane } from "../redis-rest/redis-lane.ts";
import { RESP_ERROR } from "../redis-rest/resp.ts";
import { REQUEST_TIMEOUT_MS } from "../redis-rest/store.ts";
import type { Write } from "./writes.ts";

/**
 * Many writes in one transaction that happens only if a field still says what the writer believes, and says something new afterwards. The bytes are put
 * together here: a command through ioredis would cost more than the whole row. The next transaction's watch leaves with this one, so
 * that a chain of them takes one round trip each.
 */
export type GuardedWrites = {
  /** True when all of it happened; false when the field says something else: then nothing did. Throws when nobody knows. */
  readonly write: (guard: Guard, writes: readonly Write[], isAscii: boolean) => Promise<boolean>;
};

/** What an exchange ends with, the watched value, is shorter; so is what needs to be read of an error. */
const END_BYTES = 128;

type Guard = { readonly key: string; readonly field: string; readonly expected: string };

/** `redis` must be used for nothing else. */
export function createGuardedWrites(redis: Redis): GuardedWrites {
  const lane = createRedisLane(redis, REQUEST_TIMEOUT_MS);
  /** What the watched field said when its watch began; undefined when nothing is watched. */
  let watched: string | undefined;

  /** The end of the replies, which is all that matters when none of them is an error. */
  function exchange(wire: string, replyCount: number): Promise<string> {
    return new Promise((resolve, reject) => {
      lane.send(wire, {
        replyCount,
        onReplies: (bytes, from) => {
          const errorAt = bytes[from] === RESP_ERROR ? from : bytes.indexOf("\r\n-", from);
          if (errorAt === -1) resolve(bytes.toString("latin1", Math.max(from, bytes.length - END_BYTES)));
          else reject(new Error(`Redis refused a write: ${bytes.toString("latin1", errorAt, errorAt + END_BYTES).trim()}`));
        },
        onFailure: (failure) => reject(new Error(`Connection is closed: ${failure}`)),
      });
    });
  }

  async function send(commands: readonly Write[], isAscii: boolean): Promise<string> {
    watched = undefined;
    return `\r\n${await exchange(encodeCommands(commands, isAscii), commands.length)}`;
  }

  const watch = ({ key, field }: Guard): Write[] => [
    ["WATCH", key],
    ["HGET", key, field],
  ];

  return {
    async write(guard, writes, isAscii) {
      if (watched === undefined) watched = lastValue(await send(watch(guard), true));
      if (watched !== guard.expected) {
        watched = undefined;
        return false;
      }
      const reply = await send([["MULTI"], ...writes, ["EXEC"], ...watch(guard)], isAscii);
      watched = lastValue(reply);
      return !reply.includes("\r\n*-1\r\n");
    },
  };
}

/** The reply to the HGET that each exchange ends with; "0" where there is nothing yet. */
function lastValue(reply: string): string {
  const match = /\r\n\+OK\r\n\$(?:-1|\d+\r\n(\d*))\r\n$/.exec(reply);
  assert(match !== null, "an exchange ends with the watched value");
  return match[1] ?? "0";
}
