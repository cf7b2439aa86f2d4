import { createFifo } from "../commands/fifo.ts";
import type { HandOff, LocalCommand } from "../commands/hand-off.ts";
import { createStreamQueue, type StreamCommand } from "./stream-queue.ts";

/** A command that waits for the engine: handed over in this process, or appended to the stream by another one. */
export type QueuedCommand = LocalCommand | StreamCommand;

export const isLocal = (queued: QueuedCommand): queued is LocalCommand => "number" in queued;

/** Both ways into the engine as one queue. Neither waits for the other to run dry: while both have commands, they take turns. */
export type CommandQueue = {
  /** Before anything else: the rest of an append whose first commands were committed in an earlier batch. */
  readonly resume: () => Promise<void>;
  /** What has come to the stream meanwhile. */
  readonly fill: () => Promise<void>;
  /** Throws if the stream could not be read: then nobody knows what waits there. */
  readonly check: () => void;
  /** Returns when there is something, or when `wake` is called. */
  readonly wait: () => Promise<void>;
  /** Returns when `wake` is called, or when something has come. */
  readonly untilWoken: () => Promise<void>;
  readonly wake: () => void;
  readonly shift: () => QueuedCommand | undefined;
  /** The commands that the next calls of `shift` give, in that order, as many as there are now. One whose caller gives up meanwhile is left out. */
  readonly peek: (max: number) => readonly QueuedCommand[];
  readonly isEmpty: () => boolean;
  /** How many wait, give or take those whose callers have given up. */
  readonly size: () => number;
  /** Those of this process that were not shifted go back to where they came from. */
  readonly close: () => void;
};

type QueueParts = Omit<Parameters<typeof createStreamQueue>[0], "onArrival"> & { readonly handOff: HandOff };

/** Commands of one way before it is the other's turn: long enough that an entry tells of few groups. */
const TURN_COMMANDS_MAX = 64;

export function createCommandQueue({ handOff, ...parts }: QueueParts): CommandQueue {
  const stream = createStreamQueue({ ...parts, onArrival: wake });
  /** Taken out of both ways already, so that their order stands. */
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
