import { setImmediate as nextTurn } from "node:timers/promises";
import type { Redis } from "ioredis";
import type { Logger } from "pino";
import { type Database, UniqueViolation } from "../../db/database.ts";
import { createGrids, type Grids } from "../../instruments/grids.ts";
import {
  type FollowedJournal,
  followJournal,
  JournalFault,
  type Run,
  type Taken,
} from "../../journal/follow-journal.ts";
import { awaitJournal, faultOfNext, type JournalEntry } from "../../journal/journal.ts";
import { OFFSET_KEY } from "../../journal/keys.ts";
import { ensureMonth, listCurrencies, listGrids, mayTakeRole, readOffset } from "./ledger-queries.ts";
import type { Posted } from "./post-entry.ts";
import { errorText, newTermsIn, type Prepared, prepareBatch } from "./prepare-batch.ts";
import {
  type EntryToWrite,
  LEDGER_ROLE,
  type LedgerBatch,
  type LedgerPosition,
  OWN_ROLE,
  type Written,
  writeLedger,
} from "./write-ledger.ts";

/**
 * Follows the journal into PostgreSQL. Promises: it posts every entry once and in order despite any kill, because rows
 * and position are one transaction; nothing is trimmed from the journal before that. While PostgreSQL is unavailable,
 * it retries with back-off. An entry that cannot be posted is parked and logged, and the next ones are posted. A
 * journal that contradicts the ledger stops it with the reason.
 */
export type KeptLedger = {
  readonly state: () => LedgerState;
  readonly stop: () => Promise<void>;
};

export type LedgerState = ReturnType<FollowedJournal["state"]> & {
  /** Entries that this process has parked. */
  readonly parked: number;
  readonly entriesWritten: number;
  readonly rowsWritten: number;
};

type LedgerParts = {
  readonly database: Database;
  /** A connection of its own, because waiting for the journal blocks it. */
  readonly redis: Redis;
  readonly log: Logger;
  readonly random: () => number;
  /** Most trades and postings in one transaction. */
  readonly rowsMax: number;
};

/** Shorter than the timeout of a Redis call. */
const WAIT_MS = 400;
const ENTRIES_MAX = 200;
/** Size of one read, estimated from the entries before: some milliseconds of work, and bounded memory. */
const READ_BYTES = 1024 * 1024;
/** Used until the size of entries is known. */
const FIRST_ENTRIES = 10;
/** Bytes that are hashed in one turn of the event loop. */
const HASH_BYTES = 256 * 1024;
const RETRY_MS_MAX = 5_000;
/** While another process writes the ledger, this one stands by. */
const STANDBY_MS = 1_000;

/** A server writes this many in a fraction of a second. */
export const SERVER_ROWS_MAX = 6_000;
/**
 * The embedded database runs one transaction at a time and writes this many rows in some ten milliseconds; a sign-in
 * waits for that long.
 */
export const EMBEDDED_ROWS_MAX = 1_000;

export function keepLedger({ database, redis, log, random, rowsMax }: LedgerParts): KeptLedger {
  const months = new Set<string>();
  let entriesMax = ENTRIES_MAX;
  /** The largest body of the last read. */
  let entryBytes = READ_BYTES / FIRST_ENTRIES;
  const counts = { parked: 0, entriesWritten: 0, rowsWritten: 0 };

  async function open(): Promise<Run<JournalEntry, LedgerPosition>> {
    const position = await readOffset.first(database, { consumer: "ledger" });
    const terms = createGrids();
    terms.learn({ currencies: await listCurrencies.all(database, {}), pairs: await listGrids.all(database, {}) });
    const mayTake = (await mayTakeRole.first(database, {}))?.allowed === true;
    if (!mayTake)
      log.warn(
        "the role sluice_ledger is missing or not granted: the ledger is written as its owner, and only triggers protect it",
      );
    if (position === undefined) throw new Error("ledger_consumer_offsets has no row for the ledger");
    return runFrom(position, terms, mayTake ? LEDGER_ROLE : OWN_ROLE);
  }

  function runFrom(position: LedgerPosition, terms: Grids, role: string): Run<JournalEntry, LedgerPosition> {
    /** The next batch, prepared while PostgreSQL worked on the one before. */
    let ready: Prepared | undefined;
    let isOver = false;

    async function take(
      entries: readonly JournalEntry[],
      before: LedgerPosition,
    ): Promise<Taken<LedgerPosition> | undefined> {
      const batch =
        ready?.items[0]?.entry === entries[0] && ready
          ? ready
          : prepareBatch(entries, { kept: terms, before: [], rowsMax });
      ready = undefined;
      const rest = entries.slice(batch.items.length);
      const meanwhile = () => {
        if (rest.length > 0) ready = prepareBatch(rest, { kept: terms, before: batch.changes, rowsMax });
      };
      await nextTurn();
      await ensureMonths(batch.items);
      const newTerms = newTermsIn(batch.changes, terms);
      const written = await write({ before, entries: batch.items, newTerms, meanwhile }, role);
      return written.kind === "written" ? noteWritten(batch, before, written.position) : undefined;
    }

    /** After a partly written batch, the next run asks PostgreSQL which terms it has. */
    function noteWritten(
      { items, changes, rows }: Prepared,
      before: LedgerPosition,
      reached: LedgerPosition,
    ): Taken<LedgerPosition> {
      const count = reached.sequence - before.sequence;
      counts.entriesWritten += count;
      entriesMax = Math.min(ENTRIES_MAX, entriesMax * 2);
      isOver = count < items.length || !items.every((item) => "posted" in item);
      if (!isOver) {
        for (const of of changes) terms.learn(of);
        counts.rowsWritten += rows;
      }
      return { count, position: reached };
    }

    return { position, next, take, isOver: () => isOver };
  }

  async function next(after: LedgerPosition): Promise<readonly JournalEntry[]> {
    const count = Math.max(1, Math.min(entriesMax, Math.floor(READ_BYTES / entryBytes)));
    const entries = await awaitJournal(redis, { after: after.sequence, count, waitMs: WAIT_MS });
    const fault = entries.length === 0 ? await faultOfSilence(redis, after) : await faultOf(after, entries);
    if (fault !== undefined) throw new JournalFault(fault);
    entryBytes = Math.max(1, ...entries.map(({ body }) => body.length));
    return entries;
  }

  /** If the tables refuse a batch, its first entry is written by itself, and parked if it is refused again. */
  async function write(batch: LedgerBatch, role: string): Promise<Written> {
    const { entries } = batch;
    try {
      const written = await writeLedger(database, batch, role);
      if (written.kind === "written") logParked(entries);
      return written;
    } catch (error) {
      const [only] = entries;
      if (!isRefusedData(error) || only === undefined || "parkedFor" in only) {
        // A server that is too slow for a large batch may be fast enough for a small one.
        entriesMax = Math.max(1, Math.floor(Math.min(entriesMax, entries.length) / 2));
        throw error;
      }
      if (entries.length > 1) return write({ ...batch, entries: [only] }, role);
      const parkedEntry = { entry: only.entry, parkedFor: errorText(error) };
      return write({ before: batch.before, entries: [parkedEntry], newTerms: { currencies: [], pairs: [] } }, role);
    }
  }

  function logParked(entries: readonly EntryToWrite[]): void {
    for (const item of entries) {
      if (!("parkedFor" in item)) continue;
      counts.parked++;
      const facts = { sequence: item.entry.sequence, reason: item.parkedFor };
      log.error(facts, "a journal entry could not be posted and is parked; the audit names what is missing");
    }
  }

  async function ensureMonths(items: readonly EntryToWrite[]): Promise<void> {
    for (const item of items) {
      if (!("posted" in item)) continue;
      for (const atMs of momentsOf(item.posted)) {
        const month = monthOf(Number(atMs));
        if (months.has(month)) continue;
        await database.transaction((tx) => ensureMonth.first(tx, { month }));
        months.add(month);
      }
    }
  }

  const parts = {
    open,
    connections: [redis],
    registry: redis,
    standbyMs: STANDBY_MS,
    retryMsMax: RETRY_MS_MAX,
    random,
    haltsOnFault: true,
    log,
  };
  const following = followJournal({ name: "ledger", ...parts });
  return { state: () => ({ ...following.state(), ...counts }), stop: following.stop };
}

async function faultOf(position: LedgerPosition, entries: readonly JournalEntry[]): Promise<string | undefined> {
  let before = { sequence: position.sequence, hash: position.journalHash, command: position.command };
  let bytes = 0;
  for (const entry of entries) {
    const fault = faultOfNext(before, entry);
    if (fault !== undefined) return `${fault}. PostgreSQL and this Redis have different histories.`;
    before = entry;
    bytes += entry.body.length;
    if (bytes < HASH_BYTES) continue;
    bytes = 0;
    await nextTurn();
  }
  return undefined;
}

async function faultOfSilence(redis: Redis, { sequence }: LedgerPosition): Promise<string | undefined> {
  const committed = Number((await redis.hget(OFFSET_KEY, "sequence")) ?? 0);
  return committed >= sequence ? undefined : `PostgreSQL holds entry ${sequence}, and this Redis ends at ${committed}.`;
}

/** Class 22 is invalid data, class 23 a violated constraint: a retry fails again. */
function isRefusedData(error: unknown): boolean {
  if (error instanceof UniqueViolation) return true;
  const code = error instanceof Error ? (error as { code?: unknown }).code : undefined;
  return typeof code === "string" && /^(22|23)[0-9A-Z]{3}$/.test(code);
}

/** Distinct: all movements of one command have the same time. */
function momentsOf({ trades, postings }: Posted): ReadonlySet<string> {
  const moments = new Set<string>();
  for (const { atMs } of trades) moments.add(atMs);
  for (const { atMs } of postings) moments.add(atMs);
  return moments;
}

function monthOf(atMs: number): string {
  return `${new Date(atMs).toISOString().slice(0, 7)}-01`;
}
