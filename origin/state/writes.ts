import type { Redis } from "ioredis";

import { assert } from "../../shared/assert.ts";
import { encodeCommands } from "../../stack/program/resp/encode-commands.ts";
import { createRedisLane, REQUEST_TIMEOUT_MS } from "../../stack/program/resp/redis-lane.ts";
import { RESP_ERROR } from "../../stack/program/resp/resp.ts";

/** A command for Redis; those with many members grow with each row. */
export type Write = [string, ...(string | number)[]];

/** The commands of one step, with one command per key where possible. */
export type Writes = {
  /** The commands of one user's own keys, as far as there are any. */
  readonly ofUser: (user: string) => UserWrites;
  /** The command of this kind on a key that many rows share, to push members to. */
  readonly into: (command: string, key: string) => Write;
  /** A separate command. It follows those with members: a cut or an expiry comes after the inserts. */
  readonly add: (write: Write) => void;
  readonly all: () => Write[];
};

/** Found by the user's name: building and looking up each key would take longer than the rest. */
export type UserWrites = {
  orders: Write | undefined;
  opened: Write | undefined;
  closed: Write | undefined;
  trades: Write | undefined;
};

export function createWrites(): Writes {
  const users = new Map<string, UserWrites>();
  const shared = new Map<string, Write>();
  const single: Write[] = [];
  return {
    ofUser(user) {
      let writes = users.get(user);
      if (writes === undefined) {
        writes = { orders: undefined, opened: undefined, closed: undefined, trades: undefined };
        users.set(user, writes);
      }
      return writes;
    },
    into(command, key) {
      const name = `${command} ${key}`;
      let write = shared.get(name);
      if (write === undefined) {
        write = [command, key];
        shared.set(name, write);
      }
      return write;
    },
    add: (write) => void single.push(write),
    all() {
      const all = [...shared.values()];
      for (const { orders, opened, closed, trades } of users.values()) {
        for (const write of [orders, opened, closed, trades]) if (write !== undefined) all.push(write);
      }
      for (const write of single) all.push(write);
      return all;
    },
  };
}

/**
 * Many writes in one transaction that is executed only if a field still has the expected value, and that changes the
 * field. The bytes are encoded here: a command through ioredis would cost more than the whole row. The next
 * transaction's watch is sent with this one, so that a chain of them takes one round trip each.
 */
export type GuardedWrites = {
  /**
   * True when all of it was written; false when the field has another value: then nothing was. Throws when the outcome
   * is unknown.
   */
  readonly write: (guard: Guard, writes: readonly Write[], isAscii: boolean) => Promise<boolean>;
};

/** The watched value, which ends an exchange, is shorter; so is the part of an error that is needed. */
const END_BYTES = 128;

type Guard = { readonly key: string; readonly field: string; readonly expected: string };

/** Nothing else may use `redis`. */
export function createGuardedWrites(redis: Redis): GuardedWrites {
  const lane = createRedisLane(redis, REQUEST_TIMEOUT_MS);
  /** The watched field's value when its watch began; undefined when nothing is watched. */
  let watched: string | undefined;

  /** The end of the replies, which is all that matters when none of them is an error. */
  function exchange(wire: string, replyCount: number): Promise<string> {
    return new Promise((resolve, reject) => {
      lane.send(wire, {
        replyCount,
        onReplies: (bytes, from) => {
          const errorAt = bytes[from] === RESP_ERROR ? from : bytes.indexOf("\r\n-", from);
          if (errorAt === -1) resolve(bytes.toString("latin1", Math.max(from, bytes.length - END_BYTES)));
          else
            reject(
              new Error(`Redis refused a write: ${bytes.toString("latin1", errorAt, errorAt + END_BYTES).trim()}`),
            );
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
