import type { AnswerGroup } from "../commands/answers.ts";
import { userOfCommand } from "../commands/commands.ts";
import type { Changes } from "../engine/changes.ts";
import type { Command } from "../engine/command.ts";
import type { Engine } from "../engine/engine.ts";
import type { Outcome } from "../engine/outcome.ts";
import type { QueuedCommand } from "./command-queue.ts";
import { entryHash, type JournalEntry, type JournalPosition } from "./journal.ts";
import { type CommandResult, journalBody } from "./journal-body.ts";

/** Commands that were applied in memory, as the one entry that will make them true, and what to say once it has. */
export type Batch = { readonly entry: JournalEntry; readonly changes: Changes; readonly answers: readonly AnswerGroup[] };

/** Group commit: whatever has queued, up to here. Beyond a few hundred nothing is gained and the first one waits for the last. */
export const BATCH_COMMANDS_MAX = 256;
/** A sweep through a deep book is many rows: it ends the batch, so that no entry becomes much larger than one command can make it. */
const BATCH_ROWS_MAX = 4_000;

type Group = Omit<AnswerGroup, "sequence" | "outcomes"> & { readonly results: CommandResult[] };

/** Undefined when there is nothing to do. */
export function applyBatch(engine: Engine, shift: () => QueuedCommand | undefined, before: JournalPosition): Batch | undefined {
  const groups: Group[] = [];
  let rows = 0;
  let lastCommand = "";
  for (let count = 0; count < BATCH_COMMANDS_MAX && rows < BATCH_ROWS_MAX; count++) {
    const next = shift();
    if (next === undefined) break;
    const isLast = changesTerms(engine, next.command);
    const outcome = engine.apply(next.command);
    groupOf(groups, next).results.push({ user: userOfCommand(next.command), outcome });
    rows += rowsOf(outcome);
    lastCommand = next.command.id;
    if (isLast) break;
  }
  if (groups.length === 0) return undefined;
  const changes = engine.takeChanges();
  const sequence = before.sequence + 1;
  const unhashed = { sequence, previousHash: before.hash, command: lastCommand, body: journalBody(changes, groups) };
  const entry = { ...unhashed, hash: entryHash(unhashed) };
  const answers = groups.map(({ results, ...group }) => ({ ...group, sequence, outcomes: results.map(({ outcome }) => outcome) }));
  return { entry, changes, answers };
}

/** An entry tells of a pair's terms once, and its trades count in the ticks and lots of the terms before: so new terms end the batch. */
function changesTerms(engine: Engine, command: Command): boolean {
  return command.kind === "setPair" && engine.pair(command.terms.pair) !== undefined;
}

/** The group of this command's append: the last one, or a new one. */
function groupOf(groups: Group[], { node, append, entryId, index }: QueuedCommand): Group {
  const last = groups.at(-1);
  if (last?.entryId === entryId) return last;
  const group = { node, append, entryId, firstIndex: index, results: [] };
  groups.push(group);
  return group;
}

function rowsOf(outcome: Outcome): number {
  if (outcome.kind === "order") return 1 + 2 * outcome.trades.length;
  return outcome.kind === "cancelled" ? outcome.orders.length : 0;
}
