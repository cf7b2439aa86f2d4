import type { Redis } from "ioredis";
import type { Engine } from "../engine/engine.ts";
import { PROJECTED_KEY } from "../state/keys.ts";
import { findNames } from "../state/name-store.ts";
import { isLocal, type QueuedCommand } from "./command-queue.ts";

/**
 * Keeps an engine's memory of names small. The newest stay; older ones leave once the state projection has written
 * them, and are asked of Redis before a command with such a name is applied. While memory reaches back 24 hours nothing
 * is asked. When Redis is unavailable the question fails, and with it the leader: it recovers from the journal.
 */
export type NameMemory = {
  /** How many commands, from the first one on, can be applied without asking Redis. */
  readonly readyCount: (commands: readonly QueuedCommand[]) => number;
  /** Fetches the names that the commands need; when it returns, all commands are ready. */
  readonly ask: (commands: readonly QueuedCommand[]) => Promise<void>;
  /** Asks early, while a commit is under way. Its errors are ignored: `ask` repeats the question. */
  readonly askEarly: (commands: readonly QueuedCommand[]) => void;
  /** The engine's memory holds this entry of the journal. */
  readonly note: (sequence: number) => void;
  /** Evicts projected names beyond the bound. Never call it between `ask` and the commands that it was for. */
  readonly makeRoom: () => void;
};

export type NameBounds = { readonly heldMax: number; readonly answersMax: number };

/** About 200 bytes each, and few enough for the garbage collector. */
const DEFAULT_BOUNDS: NameBounds = { heldMax: 200_000, answersMax: 4_096 };
/** More than one batch brings, and less than a millisecond of work. */
const EVICTED_AT_ONCE_MAX = 1_000;
/** How many marks of entry and name count are kept over the whole of memory. */
const MARKS = 400;

type Mark = { readonly sequence: number; readonly taken: number };

export function createNameMemory(redis: Redis, engine: Engine, bounds: NameBounds = DEFAULT_BOUNDS): NameMemory {
  const { names } = engine;
  const marks: Mark[] = [];
  let early: Promise<void> | undefined;
  let projected = 0;
  let isLooking = false;

  const unanswered = (queued: QueuedCommand) =>
    isLocal(queued) ? names.unanswered(queued.body, queued.at) : names.unanswered(queued.command, queued.command.at);

  async function fetch(commands: readonly QueuedCommand[]): Promise<void> {
    if (names.areComplete()) return;
    const asked = commands.flatMap(unanswered);
    if (asked.length === 0) return;
    const { at, evicted } = names.figures();
    const rows = await findNames(
      redis,
      asked.map(({ name, ...rest }) => ({ ...rest, reference: name })),
      at,
    );
    // Names that have left memory since may be missing from the answer.
    if (names.figures().evicted === evicted) names.answer(asked, rows);
  }

  /** While it cannot be read, nothing leaves memory. */
  function lookAtProjection(): void {
    if (isLooking) return;
    isLooking = true;
    redis
      .hget(PROJECTED_KEY, "sequence")
      .then((sequence) => {
        projected = Number(sequence ?? 0);
      })
      .catch(() => {})
      .finally(() => {
        isLooking = false;
      });
  }

  function projectedMark(): number {
    let upTo = 0;
    while (marks[0] !== undefined && marks[0].sequence <= projected) upTo = marks.shift()?.taken ?? upTo;
    // It counts again while some of its names are left.
    if (upTo > 0) marks.unshift({ sequence: projected, taken: upTo });
    return upTo;
  }

  return {
    readyCount(commands) {
      if (names.areComplete()) return commands.length;
      const first = commands.findIndex((command) => unanswered(command).length > 0);
      return first === -1 ? commands.length : first;
    },
    async ask(commands) {
      await early;
      await fetch(commands);
    },
    askEarly(commands) {
      early ??= fetch(commands)
        .catch(() => {})
        .finally(() => {
          early = undefined;
        });
    },
    note(sequence) {
      const { taken } = names.figures();
      if (taken - (marks.at(-1)?.taken ?? 0) >= bounds.heldMax / MARKS) marks.push({ sequence, taken });
    },
    makeRoom() {
      names.dropAnswersOver(bounds.answersMax);
      const { held } = names.figures();
      if (held <= bounds.heldMax) return;
      lookAtProjection();
      names.evict({ upTo: projectedMark(), keep: Math.max(bounds.heldMax, held - EVICTED_AT_ONCE_MAX) });
    },
  };
}
