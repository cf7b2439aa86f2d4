import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import type { Redis } from "ioredis";
import type { Logger } from "pino";
import type { Clock } from "../../shared/clock.ts";
import { awaitJournal, faultOfNext, type JournalEntry } from "../commit/journal.ts";
import { CONSUMERS_KEY, OFFSET_KEY } from "../commit/keys.ts";
import { type Database, UniqueViolation } from "../db/database.ts";
import { untilReady } from "../redis/until-ready.ts";
import { ensureMonth, listCurrencies, listGrids, mayTakeRole, readOffset } from "./ledger-queries.ts";
import { createLedgerTerms, type LedgerTerms, newTermsIn } from "./ledger-terms.ts";
import type { Posted } from "./post-entry.ts";
import { errorText, type Prepared, prepareBatch } from "./prepare-batch.ts";
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
 * Follows the journal into PostgreSQL. Promises: every entry once and in order, whatever is killed when, because rows and position are one
 * transaction; nothing is trimmed from the journal before that. With PostgreSQL away it tries again by itself, later and later; an entry that
 * cannot be posted is parked and told, and the rest goes on; a journal that contradicts the ledger stops it with a sentence.
 */
export type KeptLedger = {
  readonly state: () => LedgerState;
  readonly stop: () => Promise<void>;
};

export type LedgerState = {
  /** The last entry that PostgreSQL holds, as far as this process knows; undefined until it has asked. */
  readonly sequence: number | undefined;
  /** Since when PostgreSQL could not be written to, in milliseconds. */
  readonly awaySinceMs: number | undefined;
  /** Why it does not go on by itself. */
  readonly haltedFor: string | undefined;
  /** Entries that this process has parked. */
  readonly parked: number;
  readonly entriesWritten: number;
  readonly rowsWritten: number;
};

type LedgerParts = {
  readonly database: Database;
  /** A connection of its own: waiting for the journal blocks it. */
  readonly redis: Redis;
  readonly log: Logger;
  readonly clock: Clock;
  readonly random: () => number;
  /** Trades and postings in one transaction. */
  readonly rowsMax: number;
};

/** Shorter than a call to Redis may take. */
const WAIT_MS = 400;
const ENTRIES_MAX = 200;
/** What is read at once, by the size of the entries before: some milliseconds of work, and bounded in memory. */
const READ_BYTES = 1024 * 1024;
/** Until their size is known. */
const FIRST_ENTRIES = 10;
/** Bodies that are hashed without a break. */
const HASH_BYTES = 256 * 1024;
const RETRY_MS_FIRST = 100;
const RETRY_MS_MAX = 5_000;
/** A connection that is just being made is not yet a store that is away. */
const READY_MS = 1_000;
/** While another process writes the ledger we only stand by. */
const STANDBY_MS = 1_000;

/** A real server takes these in a small part of a second. */
export const SERVER_ROWS_MAX = 6_000;
/** The embedded database does one transaction at a time, and this many rows in some ten milliseconds: for so long an account has to wait. */
export const EMBEDDED_ROWS_MAX = 1_000;

export function keepLedger(parts: LedgerParts): KeptLedger {
  const { log, clock, random } = parts;
  const stopping = new AbortController();
  const ledger = createLedger(parts);
  let retryMs = RETRY_MS_FIRST;
  let awaySinceMs: number | undefined;

  async function turn(): Promise<void> {
    try {
      const { pauseMs } = await ledger.step();
      if (awaySinceMs !== undefined) log.info({ sequence: ledger.state().sequence }, "the ledger is written again");
      awaySinceMs = undefined;
      retryMs = RETRY_MS_FIRST;
      if (pauseMs > 0) await pause(pauseMs);
    } catch (error) {
      if (stopping.signal.aborted) return;
      if (awaySinceMs === undefined)
        log.error({ err: error }, "the ledger cannot be written; trading goes on, and the journal keeps what is missing");
      awaySinceMs ??= clock.nowMs();
      ledger.forget();
      // Spread, so that several processes do not come back at the same moment.
      await pause(retryMs * (0.5 + random() / 2));
      retryMs = Math.min(retryMs * 2, RETRY_MS_MAX);
    }
  }

  async function pause(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: stopping.signal }).catch(() => {});
  }

  const done = (async () => {
    while (!stopping.signal.aborted && ledger.state().haltedFor === undefined) await turn();
  })();
  return {
    state: () => ({ ...ledger.state(), awaySinceMs }),
    stop: async () => {
      stopping.abort();
      await done;
    },
  };
}

type Step = { readonly pauseMs: number };
type Known = { readonly position: LedgerPosition; readonly terms: LedgerTerms; readonly role: string };

function createLedger({ database, redis, log, rowsMax }: LedgerParts) {
  const months = new Set<string>();
  let known: Known | undefined;
  /** Entries behind the known position that were read and found to follow, and the next batch of them if it is ready. */
  let read: readonly JournalEntry[] = [];
  let ready: Prepared | undefined;
  let entriesMax = ENTRIES_MAX;
  /** The largest of those that were read last. */
  let entryBytes = READ_BYTES / FIRST_ENTRIES;
  let haltedFor: string | undefined;
  let parked = 0;
  let entriesWritten = 0;
  let rowsWritten = 0;

  async function look(): Promise<Known> {
    await untilReady(redis, READY_MS);
    const position = await readOffset.first(database, { consumer: "ledger" });
    const terms = createLedgerTerms();
    terms.learn({ currencies: await listCurrencies.all(database, {}), pairs: await listGrids.all(database, {}) });
    const mayTake = (await mayTakeRole.first(database, {}))?.allowed === true;
    if (!mayTake)
      log.warn("there is no role sluice_ledger that we may take: the ledger is written as its owner, and triggers alone protect it");
    if (position === undefined) throw new Error("ledger_consumer_offsets has no row for the ledger");
    return { position, terms, role: mayTake ? LEDGER_ROLE : OWN_ROLE };
  }

  /** One batch, or a short wait for there to be one. */
  async function step(): Promise<Step> {
    known ??= await look();
    const { position, terms, role } = known;
    if (read.length === 0) await readOn(position);
    if (read.length === 0) return { pauseMs: 0 };
    const batch = ready ?? prepareBatch(read, { kept: terms, before: [], rowsMax });
    ready = undefined;
    read = read.slice(batch.items.length);
    await nextTurn();
    await ensureMonths(batch.items);
    const next = { before: position, entries: batch.items, newTerms: newTermsIn(batch.changes, terms) };
    const written = await write({ ...next, meanwhile: () => prepareNext(terms, batch) }, role);
    if (written.kind !== "written") {
      forget();
      return { pauseMs: STANDBY_MS };
    }
    entriesWritten += written.position.sequence - position.sequence;
    entriesMax = Math.min(ENTRIES_MAX, entriesMax * 2);
    await reportPosition(written.position.sequence);
    noteWritten(written.position, batch);
    return { pauseMs: 0 };
  }

  async function readOn(position: LedgerPosition): Promise<void> {
    const count = Math.max(1, Math.min(entriesMax, Math.floor(READ_BYTES / entryBytes)));
    const entries = await awaitJournal(redis, { after: position.sequence, count, waitMs: WAIT_MS });
    haltedFor = entries.length === 0 ? await faultOfSilence(redis, position) : await faultOf(position, entries);
    entryBytes = Math.max(1, ...entries.map(({ body }) => body.length));
    if (haltedFor !== undefined) log.fatal({ sequence: position.sequence }, `the ledger stops: ${haltedFor}`);
    else if (entries.length === 0) await reportPosition(position.sequence);
    else read = entries;
  }

  /** While the server works on one batch we work on the next. A batch that was given up may get here late: by then other terms count. */
  function prepareNext(kept: LedgerTerms, { changes }: Prepared): void {
    if (read.length > 0 && known?.terms === kept) ready = prepareBatch(read, { kept, before: changes, rowsMax });
  }

  /** If only a part of the batch was taken, PostgreSQL is asked again what it knows by now. */
  function noteWritten(position: LedgerPosition, { items, changes, rows }: Prepared): void {
    const isWhole = position.sequence === items.at(-1)?.entry.sequence && items.every((item) => "posted" in item);
    if (!isWhole || known === undefined) {
      forget();
      return;
    }
    for (const of of changes) known.terms.learn(of);
    known = { ...known, position };
    rowsWritten += rows;
  }

  /** Of a batch that the tables refuse, the first entry is tried alone; if that is the one, it is parked. */
  async function write(batch: LedgerBatch, role: string): Promise<Written> {
    const { entries } = batch;
    try {
      const written = await writeLedger(database, batch, role);
      if (written.kind === "written") tellParked(entries);
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

  function tellParked(entries: readonly EntryToWrite[]): void {
    for (const item of entries) {
      if (!("parkedFor" in item)) continue;
      parked++;
      const facts = { sequence: item.entry.sequence, reason: item.parkedFor };
      log.error(facts, "a journal entry could not be posted and is parked: the audit will name what is missing");
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

  /** After the commit, never before: the journal may be trimmed up to here. */
  async function reportPosition(sequence: number): Promise<void> {
    await redis.hset(CONSUMERS_KEY, "ledger", String(sequence));
  }

  /** What an error leaves behind is unknown: PostgreSQL is asked again. */
  function forget(): void {
    known = undefined;
    read = [];
    ready = undefined;
  }

  return {
    step,
    forget,
    state: () => ({ sequence: known?.position.sequence, haltedFor, parked, entriesWritten, rowsWritten }),
  };
}

async function faultOf(position: LedgerPosition, entries: readonly JournalEntry[]): Promise<string | undefined> {
  let before = { sequence: position.sequence, hash: position.journalHash, command: position.command };
  let bytes = 0;
  for (const entry of entries) {
    const fault = faultOfNext(before, entry);
    if (fault !== undefined) return `${fault}. PostgreSQL and this Redis do not share one past.`;
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

/** Class 22 is data of a wrong kind, class 23 a broken rule of the tables: neither gets better by waiting. */
function isRefusedData(error: unknown): boolean {
  if (error instanceof UniqueViolation) return true;
  const code = error instanceof Error ? (error as { code?: unknown }).code : undefined;
  return typeof code === "string" && /^(22|23)[0-9A-Z]{3}$/.test(code);
}

/** Each once: all that one command moves has one time. */
function momentsOf({ trades, postings }: Posted): ReadonlySet<string> {
  const moments = new Set<string>();
  for (const { atMs } of trades) moments.add(atMs);
  for (const { atMs } of postings) moments.add(atMs);
  return moments;
}

function monthOf(atMs: number): string {
  return `${new Date(atMs).toISOString().slice(0, 7)}-01`;
}
