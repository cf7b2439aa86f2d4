import type { Redis } from "ioredis";
import type { Logger } from "pino";
import type { JournalFeed } from "../journal/journal-feed.ts";
import { answersChannel } from "../journal/keys.ts";
import type { Lease } from "../journal/lease.ts";
import { scriptRunner } from "../redis/script-runner.ts";
import { type CommandQueue, createCommandQueue, type GeneratedCommand } from "./command-queue.ts";
import { applyBatch, BATCH_COMMANDS_MAX, type Batch, commitEntry } from "./commit.ts";
import { firstCommands, NOBODY } from "./first-terms.ts";
import type { NameMemory } from "./name-memory.ts";
import type { Recovered } from "./recover.ts";
import { type AnswerGroup, answersText } from "./submit/answers.ts";
import type { HandOff } from "./submit/hand-off.ts";
import { createTicks } from "./ticks.ts";
import { createTrimming } from "./trim.ts";

/** The api part of this process: the commands that it hands over, and the receiver of the answers to its appends. */
export type LocalCommands = {
  readonly handOff: HandOff;
  readonly deliver: (group: AnswerGroup) => void;
  /** Appends commands that were handed over and not committed to the stream: another process leads. */
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

/**
 * A second commit is sent before the first is answered only when it has many commands: a few can wait and share the
 * next commit.
 */
const COMMITS_AT_ONCE_MAX = 3;
const WORTH_A_COMMIT = 128;

/**
 * The loop of a leader: take the queued commands, apply them in memory, commit them in one step, and only then answer.
 * Returns when it is deposed or stopped; throws when the outcome of a commit is unknown. Except after a clean stop, its
 * memory may be ahead of the journal and must be discarded; commands of this process stay with the hand-off until the
 * journal has settled them. Commits are sent in the order of their entries on one connection, and a commit after a
 * failed one fails as well (`elsewhere`).
 */
export async function lead(parts: LeadParts): Promise<"deposed" | "stopped"> {
  const { redis, lease, recovered, feed, log } = parts;
  const { handOff } = parts.commands;
  const { names } = recovered;
  const runner = scriptRunner(redis);
  const queue = createCommandQueue({ redis, blocking: parts.blocking, after: recovered.position.command, handOff });
  const ticks = createTicks(recovered.engine, parts.nowMs);
  const trimming = createTrimming(redis, parts.nowMs);
  /** The last entry that was applied; `recovered` has the last one that was committed. */
  let applied = recovered.position;
  let underWay = 0;
  let isDeposed = false;
  let isOver = false;
  let failure: unknown;

  const trimmer = setInterval(() => {
    trimming.run().catch((error: unknown) => log.warn({ err: error }, "the streams were not trimmed"));
    // A leader without work checks whether it must stop.
    queue.wake();
  }, TRIM_EVERY_MS);

  /**
   * One round trip: the commit, and a read of the stream. Once the lead is over, the journal settles the commits still
   * under way.
   */
  async function commit({ entry, changes, answers, local, localOutcomes }: Batch): Promise<void> {
    const [verdict] = await Promise.all([commitEntry(runner, lease.epoch, entry), queue.fill()]);
    if (isOver || isDeposed || failure !== undefined) return;
    if (verdict === "elsewhere")
      throw new Error(`the journal does not end at ${entry.sequence - 1}, where this engine left it`);
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

  function commitNext(shift: () => ReturnType<CommandQueue["shift"]> | GeneratedCommand): void {
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

  /** After a lost commit or a lost read of the stream, the engine recovers from the journal. */
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

  async function waitOrTick(): Promise<void> {
    if (underWay === 0 && ticks.isDue()) commitNext(ticks.shift);
    else await ticks.wait(queue);
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
      if (queue.isEmpty()) await waitOrTick();
      else if (!mayCommit()) await queue.untilWoken();
      else if (names.readyCount(queue.peek(1)) === 0) await names.ask(queue.peek(BATCH_COMMANDS_MAX));
      else commitNext(ticks.ahead(readyShift(names, queue)));
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

/**
 * Returns the next commands as far as their names are known. To be used at once: a command that leaves the queue
 * meanwhile would be counted.
 */
function readyShift(names: NameMemory, queue: CommandQueue): CommandQueue["shift"] {
  let left = names.readyCount(queue.peek(BATCH_COMMANDS_MAX));
  return () => (left-- > 0 ? queue.shift() : undefined);
}

/**
 * To this process directly, to others over their channels. A process that misses an answer looks it up in the journal.
 */
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
