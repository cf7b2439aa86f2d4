import type { Logger } from "pino";
import type { TradeRow } from "../../engine/changes.ts";
import type { JournalEntry } from "../../journal/journal.ts";
import { changesFrom } from "../../journal/journal-body.ts";
import { rowsOfUsers, type UserRows } from "./user-rows.ts";
import type { VisibleJournal } from "./visible-journal.ts";

/**
 * Brings readers from an earlier journal entry to the present, with every entry in between exactly once. One pass over
 * the journal serves all readers that wait, so that a crowd that reconnects after a restart costs one reading; readers
 * that come meanwhile wait for the next pass. A pass ends in the same turn in which it has reached the hub's own
 * position: from there the reader gets entries directly.
 */
export type Replay = {
  readonly add: (joiner: Joiner) => void;
  readonly stop: () => void;
};

export type Joiner = {
  /** The last entry that the reader has. */
  readonly from: number;
  /** Called once. After `joined`, entries after `position` come directly. `lost`: the journal begins later. */
  readonly onEnd: (end: { readonly kind: "joined"; readonly position: number } | { readonly kind: "lost" }) => void;
  /** The reader has left, or has had enough: it is dropped without a call. */
  readonly isOver: () => boolean;
} & (
  | { readonly user: string; readonly onRows: (sequence: number, rows: UserRows) => void }
  | { readonly pair: string; readonly onTrades: (sequence: number, trades: readonly TradeRow[]) => void }
);

type ReplayParts = {
  readonly journal: VisibleJournal;
  /** The hub's own position; undefined while it is being loaded. */
  readonly position: () => number | undefined;
  readonly log: Logger;
};

/** A full entry has some 80 kB: a page blocks Redis for a millisecond or two. */
const PAGE = 16;
/**
 * At most so much of the journal is read for one pass: about a second of work. A reader that is further behind gets a
 * snapshot.
 */
const PASS_CHARS_MAX = 128 * 1024 * 1024;
/** Up to so many names are searched for in the text of an entry before it is parsed. */
const SEARCHED_MAX = 16;
const RETRY_MS = 200;
const AHEAD_LOOK_MS = 5;
/** The entries that such a reader has are lost, or were never in this journal. */
const AHEAD_MS_MAX = 5_000;

/** `reached`: entries up to here were delivered, so that a reading that fails half-way continues there. */
type Waiting = { readonly joiner: Joiner; reached: number };

type Progress = { readonly batch: readonly Waiting[]; readonly cursor: number; readonly chars: number };

export function createReplay({ journal, position, log }: ReplayParts): Replay {
  let waiting: Waiting[] = [];
  const ahead = new Set<Waiting & { readonly untilMs: number }>();
  let timer: NodeJS.Timeout | undefined;
  let isRunning = false;
  let isStopped = false;

  async function run(): Promise<void> {
    while (waiting.length > 0 && !isStopped) {
      const batch = waiting;
      waiting = [];
      try {
        await pass(batch);
      } catch (error) {
        log.debug({ err: error }, "the journal cannot be read for a resume: trying again");
        waiting.push(...batch.filter(({ joiner }) => !joiner.isOver()));
        await pause();
      }
    }
    isRunning = false;
  }

  async function pass(all: readonly Waiting[]): Promise<void> {
    let progress: Progress = { batch: all, cursor: Math.min(...all.map(({ reached }) => reached)), chars: 0 };
    while (progress.batch.length > 0 && !isStopped) {
      const upTo = position();
      if (upTo !== undefined && progress.cursor >= upTo) return join(progress.batch, upTo);
      if (upTo === undefined) await pause();
      else progress = await step(progress, upTo);
    }
  }

  async function step({ batch, cursor, chars }: Progress, upTo: number): Promise<Progress> {
    const isTooMuch = chars > PASS_CHARS_MAX;
    const entries = isTooMuch ? [] : await journal.read(cursor, Math.min(PAGE, upTo - cursor));
    const left = dropLost(batch, entries[0]?.sequence ?? Number.POSITIVE_INFINITY);
    for (const entry of entries) deliver(entry, left);
    return {
      batch: left.filter(({ joiner }) => !joiner.isOver()),
      cursor: entries.at(-1)?.sequence ?? upTo,
      chars: entries.reduce((sum, { body }) => sum + body.length, chars),
    };
  }

  function join(batch: readonly Waiting[], upTo: number): void {
    const isThere = ({ reached }: Waiting) => reached <= upTo;
    endAll(batch.filter(isThere), { kind: "joined", position: upTo });
    // A hub that was loaded again may be behind its readers for a moment.
    for (const { joiner, reached } of batch.filter((one) => !isThere(one))) wait(joiner, reached);
  }

  function enter(one: Waiting): void {
    waiting.push(one);
    if (isRunning) return;
    isRunning = true;
    // At the end of the turn: all readers of a turn share one pass.
    setImmediate(() => void run());
  }

  function wait(joiner: Joiner, reached: number): void {
    ahead.add({ joiner, reached, untilMs: performance.now() + AHEAD_MS_MAX });
    timer ??= setInterval(lookAhead, AHEAD_LOOK_MS);
  }

  /** Readers that have more than this process, which another one has sent them. */
  function lookAhead(): void {
    const upTo = position() ?? 0;
    for (const one of ahead) {
      const isLate = performance.now() > one.untilMs;
      if (one.reached > upTo && !isLate && !one.joiner.isOver()) continue;
      ahead.delete(one);
      if (one.reached <= upTo) enter(one);
      else endAll([one], { kind: "lost" });
    }
    if (ahead.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  }

  return {
    add(joiner) {
      const upTo = position();
      if (upTo !== undefined && joiner.from > upTo) wait(joiner, joiner.from);
      else enter({ joiner, reached: joiner.from });
    },
    stop() {
      isStopped = true;
      clearInterval(timer);
    },
  };
}

const pause = () => new Promise<void>((resolve) => setTimeout(resolve, RETRY_MS));

function endAll(batch: readonly Waiting[], end: Parameters<Joiner["onEnd"]>[0]): void {
  for (const { joiner } of batch) if (!joiner.isOver()) joiner.onEnd(end);
}

/** Readers that miss an entry before the first one that the journal has. */
function dropLost(batch: readonly Waiting[], first: number): readonly Waiting[] {
  const isLost = ({ reached }: Waiting) => reached + 1 < first;
  endAll(batch.filter(isLost), { kind: "lost" });
  return batch.filter((one) => !isLost(one));
}

function deliver({ sequence, body }: JournalEntry, batch: readonly Waiting[]): void {
  const concerned = batch.filter(({ joiner, reached }) => reached < sequence && !joiner.isOver());
  for (const one of concerned) one.reached = sequence;
  if (concerned.length <= SEARCHED_MAX && !concerned.some(({ joiner }) => body.includes(`"${nameOf(joiner)}"`))) return;
  const changes = changesFrom(body);
  const users = new Set(concerned.flatMap(({ joiner }) => ("user" in joiner ? [joiner.user] : [])));
  const rows = rowsOfUsers(changes, (user) => users.has(user));
  for (const { joiner } of concerned) {
    if ("user" in joiner) {
      const ofUser = rows.get(joiner.user);
      if (ofUser !== undefined) joiner.onRows(sequence, ofUser);
    } else {
      const trades = changes.trades.filter(({ pair }) => pair === joiner.pair);
      if (trades.length > 0) joiner.onTrades(sequence, trades);
    }
  }
}

const nameOf = (joiner: Joiner): string => ("user" in joiner ? joiner.user : joiner.pair);
