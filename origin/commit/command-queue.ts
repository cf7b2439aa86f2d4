import type { Redis } from "ioredis";
import { assert } from "../../shared/assert.ts";
import type { Command } from "../engine/command.ts";
import { commandFrom, commandIdOf, parseStreamId, type StreamPlace } from "../journal/command-text.ts";
import { COMMANDS_KEY } from "../journal/keys.ts";
import type { CommandFields } from "../journal/order-text.ts";
import { createFifo, type HandOff, type LocalCommand } from "./submit/hand-off.ts";

/** A command that waits for the engine: handed over in this process, or appended to the stream by another one. */
export type QueuedCommand = LocalCommand | StreamCommand;

/** A command of the leader itself, when no other arrives and the engine has something to do. No caller waits for it. */
export type GeneratedCommand = { readonly isGenerated: true; readonly at: number };

export const isLocal = (queued: QueuedCommand | GeneratedCommand): queued is LocalCommand => "number" in queued;

/** The hand-off and the stream as one queue. While both have commands, they take turns. */
export type CommandQueue = {
  /** Before anything else: the rest of an append whose first commands were committed in an earlier batch. */
  readonly resume: () => Promise<void>;
  /** Reads the new commands of the stream. */
  readonly fill: () => Promise<void>;
  /** Throws if the stream could not be read: its commands are unknown then. */
  readonly check: () => void;
  /** Returns when a command waits, or when `wake` is called. */
  readonly wait: () => Promise<void>;
  /** Returns when `wake` is called, or when a command arrives. */
  readonly untilWoken: () => Promise<void>;
  readonly wake: () => void;
  readonly shift: () => QueuedCommand | undefined;
  /**
   * The commands that the next calls of `shift` return, in that order. A command whose caller gives up meanwhile is
   * left out.
   */
  readonly peek: (max: number) => readonly QueuedCommand[];
  readonly isEmpty: () => boolean;
  /** The number of waiting commands, including some whose callers have given up. */
  readonly size: () => number;
  /** Commands of this process that were not shifted return to the hand-off. */
  readonly close: () => void;
};

type QueueParts = Omit<StreamParts, "onArrival"> & { readonly handOff: HandOff };

/** Commands of one way before it is the other's turn: enough that an entry has few groups. */
const TURN_COMMANDS_MAX = 64;

export function createCommandQueue({ handOff, ...parts }: QueueParts): CommandQueue {
  const stream = createStreamQueue({ ...parts, onArrival: wake });
  /** Taken from both ways already, so that their order is fixed. */
  const ready = createFifo<QueuedCommand>();
  let isLocalTurn = true;
  let leftInTurn = TURN_COMMANDS_MAX;
  let onWake: (() => void) | undefined;

  function wake(): void {
    onWake?.();
  }

  async function untilWoken(): Promise<void> {
    await new Promise<void>((resolve) => {
      onWake = resolve;
    });
    onWake = undefined;
  }

  function passTurn(): void {
    isLocalTurn = !isLocalTurn;
    leftInTurn = TURN_COMMANDS_MAX;
  }

  function next(): QueuedCommand | undefined {
    if (leftInTurn === 0) passTurn();
    let queued = isLocalTurn ? handOff.shift() : stream.shift();
    if (queued === undefined) {
      passTurn();
      queued = isLocalTurn ? handOff.shift() : stream.shift();
    }
    leftInTurn--;
    return queued;
  }

  const isGone = (queued: QueuedCommand | undefined) => queued !== undefined && isLocal(queued) && queued.isAnswered;

  function skipGone(): void {
    while (isGone(ready.first())) ready.shift();
  }

  function isEmpty(): boolean {
    skipGone();
    return ready.size() === 0 && handOff.isEmpty() && stream.isEmpty();
  }

  handOff.open(wake);
  return {
    resume: stream.resume,
    fill: stream.fill,
    check: stream.check,
    async wait() {
      stream.listen();
      if (isEmpty()) await untilWoken();
    },
    untilWoken,
    wake,
    shift() {
      skipGone();
      return ready.shift() ?? next();
    },
    peek(max) {
      while (ready.size() < max) {
        const queued = next();
        if (queued === undefined) break;
        ready.push(queued);
      }
      return ready
        .all()
        .filter((queued) => !isGone(queued))
        .slice(0, max);
    },
    isEmpty,
    size: () => ready.size() + handOff.size() + stream.size(),
    close() {
      handOff.close();
      handOff.putBack(ready.takeAll().filter(isLocal));
      stream.close();
    },
  };
}

/** A command of another process, with its origin: the node that waits for the answer, and its number there. */
export type StreamCommand = StreamPlace & { readonly node: string; readonly append: number; readonly command: Command };

/** The commands after the last committed one, in the order of the stream. */
export type StreamQueue = {
  /** Before anything else: the rest of an append whose first commands were committed in an earlier batch. */
  readonly resume: () => Promise<void>;
  /**
   * Reads the current contents of the stream. It costs nothing while no process writes to the stream: then a blocking
   * read waits already.
   */
  readonly fill: () => Promise<void>;
  /** Starts a blocking read for the next append, unless there is one. */
  readonly listen: () => void;
  readonly shift: () => StreamCommand | undefined;
  readonly isEmpty: () => boolean;
  readonly size: () => number;
  /** Throws if the stream could not be read. */
  readonly check: () => void;
  readonly close: () => void;
};

type StreamParts = {
  readonly redis: Redis;
  /** A connection of its own: a blocking read occupies it. */
  readonly blocking: Redis;
  /** The last command of the stream that was committed. */
  readonly after: string;
  /** Called when a blocking read has returned commands, or has failed. */
  readonly onArrival: () => void;
};

/** Two batches: more would not make the engine faster, and the next engine would read them again. */
const HELD_COMMANDS_MAX = 512;
const READ_ENTRIES_MAX = 64;
/** It only decides how soon the connection is free after the end of a lead. */
const WAIT_MS = 200;

type RawEntry = readonly [id: string, fields: readonly string[]];

function createStreamQueue({ redis, blocking, after, onArrival }: StreamParts): StreamQueue {
  const held = createFifo<StreamCommand>();
  const last = parseStreamId(after);
  let readId = last?.entryId ?? "0-0";
  /** Whether a read is under way: two would return the same entries. */
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

  /** Ends with the first append: from then on `fill` reads along with each commit, until it finds nothing. */
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
