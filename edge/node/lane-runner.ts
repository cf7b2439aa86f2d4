import type { Redis } from "ioredis";
import type { ScriptRunner } from "../../shared/store/define-script.ts";
import { encodeCommands } from "../../stack/program/resp/encode-commands.ts";
import { createRedisLane, type LaneFailure } from "../../stack/program/resp/redis-lane.ts";
import { RESP_ARRAY, RESP_BULK, RESP_ERROR, RESP_INTEGER, readInteger } from "../../stack/program/resp/resp.ts";

/**
 * Scripts on one Redis, over a connection that ioredis opens and keeps. All calls of one turn of the event loop leave
 * in a single write, and a reply becomes the caller's value without a command object in between, which costs as much
 * as the rest of a poll's way through the store. A call is tried once, and fails at once while the store is
 * unavailable.
 */
export function createLaneRunner(redis: Redis, callMsMax: number): ScriptRunner {
  const lane = createRedisLane(redis, callMsMax);

  function run(command: string, script: string, keys: string[], args: string[]): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const isAscii = isPlain(script) && keys.every(isPlain) && args.every(isPlain);
      lane.send(encodeCommands([[command, script, keys.length, ...keys, ...args]], isAscii), {
        replyCount: 1,
        onReplies(bytes, from) {
          if (bytes[from] === RESP_ERROR) reject(new Error(lineAt(bytes, from)));
          else resolve(new ReplyValues(bytes, from).next());
        },
        onFailure: (failure) => reject(new Error(FAILURES[failure])),
      });
    });
  }

  return {
    evalsha: (sha, keys, args) => run("EVALSHA", sha, keys, args),
    eval: (source, keys, args) => run("EVAL", source, keys, args),
  };
}

const FAILURES: Readonly<Record<LaneFailure, string>> = {
  unreachable: "the store is not connected",
  timeout: "the store call timed out",
  lost: "the connection to the store was lost",
  busy: "too many store calls are pending",
  too_large: "the store's reply is too large",
};

// biome-ignore lint/suspicious/noControlCharactersInRegex: the range of ASCII begins with them.
const ASCII = /^[\u0000-\u007F]*$/;

function isPlain(text: string): boolean {
  return ASCII.test(text);
}

const LINE_END_BYTES = 2;
const CARRIAGE_RETURN = 0x0d;

/** Whole replies as values; the bytes have passed the splitter, so they are complete and well-formed. */
class ReplyValues {
  readonly #bytes: Buffer;
  #at: number;

  constructor(bytes: Buffer, from: number) {
    this.#bytes = bytes;
    this.#at = from;
  }

  next(): unknown {
    const bytes = this.#bytes;
    const at = this.#at;
    const line = lineEnd(bytes, at);
    this.#at = line + LINE_END_BYTES;
    switch (bytes[at]) {
      case RESP_INTEGER:
        return Number(bytes.toString("latin1", at + 1, line));
      case RESP_BULK:
        return this.#text(readInteger(bytes, at + 1));
      case RESP_ARRAY:
        return this.#list(readInteger(bytes, at + 1));
      case RESP_ERROR:
        return new Error(lineAt(bytes, at));
      default:
        return lineAt(bytes, at);
    }
  }

  #text(length: number): string | null {
    if (length < 0) return null;
    const from = this.#at;
    this.#at = from + length + LINE_END_BYTES;
    return this.#bytes.toString("utf8", from, from + length);
  }

  #list(length: number): unknown[] | null {
    if (length < 0) return null;
    const values: unknown[] = [];
    for (let count = 0; count < length; count++) values.push(this.next());
    return values;
  }
}

function lineEnd(bytes: Buffer, from: number): number {
  let end = from;
  while (bytes[end] !== CARRIAGE_RETURN) end++;
  return end;
}

function lineAt(bytes: Buffer, at: number): string {
  return bytes.toString("utf8", at + 1, lineEnd(bytes, at));
}
