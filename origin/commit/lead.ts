import type { Redis } from "ioredis";
import type { Logger } from "pino";
import { type AnswerGroup, answersText } from "../commands/answers.ts";
import type { HandOff } from "../commands/hand-off.ts";
import { answersChannel } from "../commands/keys.ts";
import { scriptRunner } from "../redis/script-runner.ts";
import { applyBatch, BATCH_COMMANDS_MAX, type Batch } from "./batch.ts";
import { type CommandQueue, createCommandQueue } from "./command-queue.ts";
import { commitEntry } from "./commit.ts";
import { firstCommands, NOBODY } from "./first-terms.ts";
import type { JournalFeed } from "./journal-feed.ts";
import type { Lease } from "./lease.ts";
import type { NameMemory } from "./name-memory.ts";
import type { Recovered } from "./recover.ts";
import { createTrimming } from "./trim.ts";

/** The api part of this very process: what it hands over, and where the answers to its appends go. */
export type LocalCommands = {
  readonly handOff: HandOff;
  readonly deliver: (group: AnswerGroup) => void;
  /** Writes what was handed over and not committed to the stream: another process leads. */
  readonly appendQueued: () => void;
};

type LeadParts = {
  readonly redis: Redis;
  readonly blocking: Redis;
  readonly recovered: Recovered;
  readonly lease: Lease;
  readonly commands: LocalCommands;
  readonly feed: JournalFeed;
  readonly nowMs: () => number;
  readonly isStopping: () => boolean;
  readonly onCommit: (sequence: number) => void;
  readonly log: Logger;
};

const TRIM_EVERY_MS = 250;

/** A second commit leaves before the first is answered only when it is worth it: few commands wait for the answer, and share the next commit. */
const COMMITS_AT_ONCE_MAX = 3;
const WORTH_A_COMMIT = 128;

/**
 * The life of a leader: take what has queued, apply it in memory, commit it in one step, and only then answer. Returns when it is deposed or
 * told to stop; throws when the outcome of a commit is unknown. In every case but a clean stop its memory may be ahead of the journal and
 * must be thrown away; what this process has handed over stays with the hand-off, until the journal has settled it.
 * Commits leave in the order of their entries on one connection, and one that follows a failed one fails as well (`elsewhere`).
 */
export async function lead(parts: LeadParts): Promise<"deposed" | "stopped"> {
  const { redis, lease, recovered, feed, log } = parts;
  const { handOff } = parts.commands;
  const { names } = recovered;
  const runner = scriptRunner(redis);
  const queue = createCommandQueue({ redis, blocking: parts.blocking, after: recovered.position.command, handOff });
  const trimming = createTrimming(redis, parts.nowMs);
  /** The last entry that was applied; `recovered` has the last one that was committed. */
  let applied = recovered.position;
  let underWay = 0;
  let isDeposed = false;
  let isOver = false;
  let failure: unknown;

  const trimmer = setInterval(() => {
    trimming.run().catch((error: unknown) => log.warn({ err: error }, "the streams were not trimmed"));
    // A leader without work looks whether it shall stop.
    queue.wake();
  }, TRIM_EVERY_MS);

  /** One round trip: the commit, and with it whatever has come to the stream meanwhile. Once the lead is over, the journal settles what is still under way. */
  async function commit({ entry, changes, answers, local, localOutcomes }: Batch): Promise<void> {
    const [verdict] = await Promise.all([commitEntry(runner, lease.epoch, entry), queue.fill()]);
    if (isOver || isDeposed || failure !== undefined) return;
    if (verdict === "elsewhere") throw new Error(`the journal does not end at ${entry.sequence - 1}, where this engine left it`);
    if (verdict === "deposed") {
      isDeposed = true;
      return;
    }
    recovered.position = entry;
    parts.onCommit(entry.sequence);
    trimming.note(entry, entry.body.length);
    feed.put({ position: { sequence: entry.sequence, hash: entry.hash, command: entry.command }, changes });
    handOff.settle(local, localOutcomes);
    answer(answers, parts);
  }

  function commitNext(shift: CommandQueue["shift"]): void {
    const batch = applyBatch(recovered.engine, shift, { node: handOff.node, epoch: lease.epoch, before: applied });
    if (batch === undefined) return;
    applied = batch.entry;
    handOff.begin(batch.local);
    // Now, because a later batch may be applied before this one is answered.
    names.note(batch.entry.sequence);
    underWay++;
    commit(batch)
      .catch((error: unknown) => {
        failure ??= error;
      })
      .finally(() => {
        underWay--;
        queue.wake();
      });
    names.makeRoom();
    names.askEarly(queue.peek(BATCH_COMMANDS_MAX));
  }

  /** Whatever was lost with a commit, or with the stream, is found again by starting from the journal. */
  function check(): void {
    if (failure !== undefined) throw failure;
    queue.check();
  }

  async function untilIdle(): Promise<void> {
    while (underWay > 0 && !isDeposed) {
      await queue.untilWoken();
      check();
    }
  }

  const mayCommit = () => underWay === 0 || (underWay < COMMITS_AT_ONCE_MAX && queue.size() >= WORTH_A_COMMIT);

  feed.setLive(true);
  try {
    if (recovered.position.sequence === 0) {
      const commands = [...firstCommands(parts.nowMs())];
      commitNext(() => commands.shift());
      await untilIdle();
    }
    await queue.resume();
    while (!isDeposed && !lease.isLost() && !parts.isStopping()) {
      check();
      if (queue.isEmpty()) await queue.wait();
      else if (!mayCommit()) await queue.untilWoken();
      else if (names.readyCount(queue.peek(1)) === 0) await names.ask(queue.peek(BATCH_COMMANDS_MAX));
      else commitNext(readyShift(names, queue));
    }
    await untilIdle();
    return isDeposed || lease.isLost() ? "deposed" : "stopped";
  } finally {
    isOver = true;
    queue.close();
    feed.setLive(false);
    clearInterval(trimmer);
  }
}

/** Gives the next commands as far as it is known what their names stand for. To be used at once: a command that leaves the queue would be counted. */
function readyShift(names: NameMemory, queue: CommandQueue): CommandQueue["shift"] {
  let left = names.readyCount(queue.peek(BATCH_COMMANDS_MAX));
  return () => (left-- > 0 ? queue.shift() : undefined);
}

/** To this process directly, to others over their channels. Who misses it finds it through the journal. */
function answer(groups: readonly AnswerGroup[], { redis, commands, log }: LeadParts): void {
  const elsewhere = new Map<string, AnswerGroup[]>();
  for (const group of groups) {
    if (group.node === commands.handOff.node) commands.deliver(group);
    else if (group.node !== NOBODY) elsewhere.set(group.node, [...(elsewhere.get(group.node) ?? []), group]);
  }
  for (const [node, ofNode] of elsewhere) {
    redis
      .publish(answersChannel(node), answersText(ofNode))
      .catch((error: unknown) => log.warn({ err: error }, "answers were not published"));
  }
}
