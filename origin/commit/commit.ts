import { z } from "zod";
import { defineScript, type ScriptRunner } from "../../shared/store/define-script.ts";
import type { Changes } from "../engine/changes.ts";
import type { Command } from "../engine/command.ts";
import type { Engine } from "../engine/engine.ts";
import type { Outcome } from "../engine/outcome.ts";
import { commandIdOf } from "../journal/command-text.ts";
import { entryHash, type JournalEntry, type JournalPosition } from "../journal/journal.ts";
import { type AppliedCommand, type AppliedGroup, journalBody } from "../journal/journal-body.ts";
import { FENCE_KEY, JOURNAL_KEY, OFFSET_KEY } from "../journal/keys.ts";
import { type GeneratedCommand, isLocal, type QueuedCommand, type StreamCommand } from "./command-queue.ts";
import source from "./commit.lua";
import type { AnswerGroup } from "./submit/answers.ts";
import { userOfCommand } from "./submit/commands.ts";
import type { LocalCommand, LocalCommit } from "./submit/hand-off.ts";

/** Commands applied in memory: the entry that makes them durable, and the answers to send once it is committed. */
export type Batch = {
  readonly entry: JournalEntry;
  readonly changes: Changes;
  /** For commands of the stream. */
  readonly answers: readonly AnswerGroup[];
  /** Commands of this process, and their outcomes in the same order. */
  readonly local: LocalCommit;
  readonly localOutcomes: readonly Outcome[];
};

/** The lead and the entry before a batch. */
export type BatchPlace = { readonly node: string; readonly epoch: number; readonly before: JournalPosition };

/**
 * Group commit: all queued commands, up to this many. More than a few hundred gain nothing, and the first one waits for
 * the last.
 */
export const BATCH_COMMANDS_MAX = 256;
/**
 * A sweep through a deep book is many rows: it ends the batch, so that no entry becomes much larger than one command
 * can make it.
 */
const BATCH_ROWS_MAX = 4_000;

type AppliedNext = QueuedCommand | GeneratedCommand;

/** Undefined when no command waits. */
export function applyBatch(engine: Engine, shift: () => AppliedNext | undefined, place: BatchPlace): Batch | undefined {
  const { before, epoch } = place;
  const sequence = before.sequence + 1;
  const groups = createGroups(place);
  for (let count = 0; count < BATCH_COMMANDS_MAX && engine.rowCount() < BATCH_ROWS_MAX; count++) {
    const next = shift();
    if (next === undefined) break;
    const command = commandOf(next, place);
    const isLast = changesTerms(engine, command);
    const outcome = engine.apply(command);
    groups.add(next, { command, user: userOfCommand(command), outcome });
    if (isLast) break;
  }
  if (groups.all.length === 0) return undefined;
  const changes = engine.takeChanges();
  const unhashed = {
    sequence,
    previousHash: before.hash,
    command: groups.lastOfStream(),
    body: journalBody(changes, groups.all),
  };
  const entry = { ...unhashed, hash: entryHash(unhashed) };
  const answers = groups.stream.map(({ results, ...group }) => ({
    ...group,
    sequence,
    outcomes: results.map(({ outcome }) => outcome),
  }));
  return {
    entry,
    changes,
    answers,
    local: { epoch, sequence, commands: groups.local },
    localOutcomes: groups.localOutcomes,
  };
}

function commandOf(next: AppliedNext, place: BatchPlace): Command {
  if (isLocal(next)) return localCommand(next, place);
  return "isGenerated" in next ? tickAt(next, place) : next.command;
}

/** Its number precedes those of this process's callers. */
const GENERATED_NUMBER = 0;

function tickAt({ at }: GeneratedCommand, { node, epoch, before }: BatchPlace): Command {
  const id = commandIdOf({ epoch, sequence: before.sequence + 1, node, number: GENERATED_NUMBER });
  return { kind: "tick", at, id };
}

/** Its id names the entry that it is meant for; in another entry it gets another id. */
function localCommand({ body, at, number }: LocalCommand, { node, epoch, before }: BatchPlace): Command {
  return { ...body, at, id: commandIdOf({ epoch, sequence: before.sequence + 1, node, number }) };
}

/**
 * An entry holds a pair's terms once, and its trades count in the ticks and lots of the previous terms: so new terms
 * end the batch.
 */
function changesTerms(engine: Engine, command: Command): boolean {
  return command.kind === "setPair" && engine.pair(command.terms.pair) !== undefined;
}

type StreamGroup = Omit<AnswerGroup, "sequence" | "outcomes"> & { readonly results: AppliedCommand[] };
type LocalGroup = {
  readonly node: string;
  readonly epoch: number;
  readonly firstNumber: number;
  readonly results: AppliedCommand[];
};

/** Groups consecutive commands of one append, or of this process's own numbers. */
function createGroups({ node: ownNode, epoch, before }: BatchPlace) {
  const all: AppliedGroup[] = [];
  const stream: StreamGroup[] = [];
  const local: LocalCommand[] = [];
  const localOutcomes: Outcome[] = [];
  let current: StreamGroup | LocalGroup | undefined;
  // The stream is resumed from here: an entry without commands of the stream repeats the previous value.
  let lastOfStream = before.command;

  function addLocal(queued: LocalCommand, applied: AppliedCommand): void {
    local.push(queued);
    localOutcomes.push(applied.outcome);
    addNumbered(queued.number, applied);
  }

  function addNumbered(number: number, applied: AppliedCommand): void {
    const isNext =
      current !== undefined && "firstNumber" in current && current.firstNumber + current.results.length === number;
    if (!isNext) {
      current = { node: ownNode, epoch, firstNumber: number, results: [] };
      all.push(current);
    }
    current?.results.push(applied);
  }

  function addOfStream({ node, append, entryId, index, command }: StreamCommand, applied: AppliedCommand): void {
    lastOfStream = command.id;
    if (current === undefined || !("entryId" in current) || current.entryId !== entryId) {
      const group = { node, append, entryId, firstIndex: index, results: [] };
      current = group;
      stream.push(group);
      all.push(group);
    }
    current.results.push(applied);
  }

  return {
    ...{ all, stream, local, localOutcomes },
    lastOfStream: () => lastOfStream,
    add(queued: AppliedNext, applied: AppliedCommand): void {
      if (isLocal(queued)) addLocal(queued, applied);
      else if ("isGenerated" in queued) addNumbered(GENERATED_NUMBER, applied);
      else addOfStream(queued, applied);
    },
  };
}

const commitScript = defineScript({
  name: "commit",
  source,
  keys: ["fence", "offset", "journal"],
  args: {
    epoch: z.int(),
    before: z.int(),
    sequence: z.int(),
    hashBefore: z.string(),
    hash: z.string(),
    command: z.string(),
    body: z.string(),
  },
  reply: z.enum(["committed", "deposed", "elsewhere"]),
});

/**
 * The one fenced, atomic write. `deposed`: another epoch has begun. `elsewhere`: the journal does not end where the
 * writer believes. In both cases nothing was written; if the call fails, the outcome is unknown.
 */
export function commitEntry(runner: ScriptRunner, epoch: number, entry: JournalEntry) {
  return commitScript.run(runner, {
    keys: { fence: FENCE_KEY, offset: OFFSET_KEY, journal: JOURNAL_KEY },
    args: {
      epoch,
      before: entry.sequence - 1,
      sequence: entry.sequence,
      hashBefore: entry.previousHash,
      hash: entry.hash,
      command: entry.command,
      body: entry.body,
    },
  });
}
