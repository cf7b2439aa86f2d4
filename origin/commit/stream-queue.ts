import type { Redis } from "ioredis";
import { assert } from "../../shared/assert.ts";
import { commandIdOf, parseStreamId, type StreamPlace } from "../commands/command-id.ts";
import { type CommandFields, commandFrom } from "../commands/command-text.ts";
import { createFifo } from "../commands/fifo.ts";
import { COMMANDS_KEY } from "../commands/keys.ts";
import type { Command } from "../engine/command.ts";

/** A command of another process, with where it came from: who waits for its answer, and under which number. */
export type StreamCommand = StreamPlace & { readonly node: string; readonly append: number; readonly command: Command };

/** The commands behind the last committed one, in the order of the stream. */
export type StreamQueue = {
  /** Before anything else: the rest of an append whose first commands were committed in an earlier batch. */
  readonly resume: () => Promise<void>;
  /** What is in the stream at this moment. It costs nothing while nobody writes to the stream: then one read waits there already. */
  readonly fill: () => Promise<void>;
  /** Sees to it that a read waits for the next append. */
  readonly listen: () => void;
  readonly shift: () => StreamCommand | undefined;
  readonly isEmpty: () => boolean;
  readonly size: () => number;
  /** Throws if the stream could not be read. */
  readonly check: () => void;
  readonly close: () => void;
};

type QueueParts = {
  readonly redis: Redis;
  /** Its own connection: it is asked to wait. */
  readonly blocking: Redis;
  /** The last command of the stream that was committed. */
  readonly after: string;
  /** Called when a read that waited has brought something, or has failed. */
  readonly onArrival: () => void;
};

/** Two batches: what is read and not applied is read again by the next engine, so more would be of no use. */
const HELD_COMMANDS_MAX = 512;
const READ_ENTRIES_MAX = 64;
/** Nothing depends on it but how soon the connection is free again after the end of a lead. */
const WAIT_MS = 200;

type RawEntry = readonly [id: string, fields: readonly string[]];

export function createStreamQueue({ redis, blocking, after, onArrival }: QueueParts): StreamQueue {
  const held = createFifo<StreamCommand>();
  const last = parseStreamId(after);
  let readId = last?.entryId ?? "0-0";
  /** Whether a read is under way: two would bring the same entries. */
  let isReading = false;
  let isClosed = false;
  let failure: unknown;

  function offer(entries: readonly RawEntry[], skip = 0): void {
    for (const [id, fields] of entries) {
      const [nodeName, node = "", appendName, append, commandsName, text = ""] = fields;
      assert(nodeName === "n" && appendName === "a" && commandsName === "c", "an append has its three fields");
      const commands = JSON.parse(text) as readonly CommandFields[];
      for (let index = skip; index < commands.length; index++) {
        const command = commandFrom(commands[index] ?? [], commandIdOf({ entryId: id, index }));
        held.push({ entryId: id, index, node, append: Number(append), command });
      }
      readId = id;
    }
  }

  /** Until something has come: from then on `fill` reads, on the way of each commit, until it finds nothing. */
  async function waitForAppend(): Promise<void> {
    while (!isClosed) {
      const reply = await blocking.xread("COUNT", READ_ENTRIES_MAX, "BLOCK", WAIT_MS, "STREAMS", COMMANDS_KEY, readId);
      if (reply === null || isClosed) continue;
      offer(reply[0]?.[1] ?? []);
      return;
    }
  }

  function listen(): void {
    if (isReading || held.size() > 0) return;
    isReading = true;
    waitForAppend()
      .catch((error: unknown) => {
        failure = error;
      })
      .finally(() => {
        isReading = false;
        onArrival();
      });
  }

  return {
    async resume() {
      if (last !== undefined) offer(await redis.xrange(COMMANDS_KEY, last.entryId, last.entryId), last.index + 1);
    },
    async fill() {
      if (isReading || held.size() >= HELD_COMMANDS_MAX) return;
      isReading = true;
      try {
        const reply = await redis.xread("COUNT", READ_ENTRIES_MAX, "STREAMS", COMMANDS_KEY, readId);
        offer(reply?.[0]?.[1] ?? []);
      } finally {
        isReading = false;
      }
      listen();
    },
    listen,
    shift: held.shift,
    isEmpty: () => held.size() === 0,
    size: held.size,
    check() {
      if (failure !== undefined) throw failure;
    },
    close() {
      isClosed = true;
    },
  };
}
