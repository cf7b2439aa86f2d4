import type { Redis } from "ioredis";
import { assert } from "../../shared/assert.ts";
import { type CommandPlace, commandIdOf, parseCommandId } from "../commands/command-id.ts";
import { type CommandFields, commandFrom } from "../commands/command-text.ts";
import { COMMANDS_KEY } from "../commands/keys.ts";
import type { Command } from "../engine/command.ts";

/** A command with where it came from: who waits for its answer, and under which number. */
export type QueuedCommand = CommandPlace & { readonly node: string; readonly append: number; readonly command: Command };

/** The commands behind the last committed one, in the order of the stream. */
export type CommandQueue = {
  /** Before anything else: the rest of an append whose first commands were committed in an earlier batch. */
  readonly resume: () => Promise<void>;
  /** What is in the stream at this moment, unless enough is here already. */
  readonly fill: () => Promise<void>;
  /** Waits for the next append. */
  readonly wait: () => Promise<void>;
  readonly shift: () => QueuedCommand | undefined;
  /** The next so many, which stay where they are. */
  readonly peek: (max: number) => readonly Command[];
  readonly isEmpty: () => boolean;
};

type QueueParts = {
  readonly redis: Redis;
  /** Its own connection: it is asked to wait. */
  readonly blocking: Redis;
  /** The last command that was committed. */
  readonly after: string;
};

/** Two batches: what is read and not applied is read again by the next engine, so more would be of no use. */
const HELD_COMMANDS_MAX = 512;
const READ_ENTRIES_MAX = 64;
/** Nothing depends on it but how soon a leader without work notices that it shall stop. */
const WAIT_MS = 200;

type RawEntry = readonly [id: string, fields: readonly string[]];

export function createCommandQueue({ redis, blocking, after }: QueueParts): CommandQueue {
  const held: QueuedCommand[] = [];
  let head = 0;
  const last = parseCommandId(after);
  let readId = last?.entryId ?? "0-0";

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

  return {
    async resume() {
      if (last !== undefined) offer(await redis.xrange(COMMANDS_KEY, last.entryId, last.entryId), last.index + 1);
    },
    async fill() {
      if (held.length - head >= HELD_COMMANDS_MAX) return;
      const reply = await redis.xread("COUNT", READ_ENTRIES_MAX, "STREAMS", COMMANDS_KEY, readId);
      offer(reply?.[0]?.[1] ?? []);
    },
    async wait() {
      const reply = await blocking.xread("COUNT", READ_ENTRIES_MAX, "BLOCK", WAIT_MS, "STREAMS", COMMANDS_KEY, readId);
      offer(reply?.[0]?.[1] ?? []);
    },
    shift() {
      const next = held[head];
      if (next === undefined) return undefined;
      head++;
      if (head === held.length) {
        held.length = 0;
        head = 0;
      }
      return next;
    },
    peek: (max) => held.slice(head, head + max).map(({ command }) => command),
    isEmpty: () => head === held.length,
  };
}
