import type { Redis } from "ioredis";
import { assert } from "../../shared/assert.ts";
import { encodeCommands } from "../redis-rest/encode-commands.ts";
import { createRedisLane } from "../redis-rest/redis-lane.ts";
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

type Guard = { readonly key: string; readonly field: string; readonly expected: string };

/** `redis` must be used for nothing else. */
export function createGuardedWrites(redis: Redis): GuardedWrites {
  const lane = createRedisLane(redis);
  /** What the watched field said when its watch began; undefined when nothing is watched. */
  let watched: string | undefined;

  function exchange(wire: string, replyCount: number): Promise<string> {
    return new Promise((resolve, reject) => {
      lane.send(wire, {
        replyCount,
        onReplies: (bytes, from) => resolve(bytes.toString("latin1", from)),
        onFailure: (failure) => reject(new Error(`Connection is closed: ${failure}`)),
      });
    });
  }

  async function send(commands: readonly Write[], isAscii: boolean): Promise<string> {
    watched = undefined;
    const reply = `\r\n${await exchange(encodeCommands(commands, isAscii), commands.length)}`;
    const error = /\r\n-([^\r]*)/.exec(reply);
    if (error !== null) throw new Error(`Redis refused a write: ${error[1]}`);
    return reply;
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
