import { setTimeout as sleep } from "node:timers/promises";
import type { Redis } from "ioredis";
import type { Logger } from "pino";
import type { Clock } from "../../shared/clock.ts";
import { awaitJournal, faultOfNext, type JournalEntry } from "../commit/journal.ts";
import { changesFrom } from "../commit/journal-body.ts";
import { CONSUMERS_KEY, OFFSET_KEY } from "../commit/keys.ts";
import { type Database, UniqueViolation } from "../db/database.ts";
import type { Changes } from "../engine/changes.ts";
import { createLedgerTerms, type LedgerTerms, newTermsIn } from "./ledger-terms.ts";
import { ensureMonth, listCurrencies, listGrids, mayTakeRole, readOffset } from "./ledger-queries.ts";
import { postEntry } from "./post-entry.ts";
import { type EntryToWrite, LEDGER_ROLE, type LedgerPosition, OWN_ROLE, writeLedger } from "./write-ledger.ts";

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
/** Some ten megabytes in memory at most. */
const ENTRIES_MAX = 200;
const RETRY_MS_FIRST = 100;
const RETRY_MS_MAX = 5_000;
/** While another process writes the ledger we only stand by. */
const STANDBY_MS = 1_000;

/** A real server takes these in a small part of a second. */
export const SERVER_ROWS_MAX = 6_000;
/** The embedded database works on our own thread: small steps, so that nobody waits long. */
export const EMBEDDED_ROWS_MAX = 300;

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
      if (awaySinceMs === undefined) log.error({ err: error }, "the ledger cannot be written; trading goes on, and the journal keeps what is missing");
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
  let entriesMax = ENTRIES_MAX;
  let haltedFor: string | undefined;
  let parked = 0;
  let entriesWritten = 0;
  let rowsWritten = 0;

  async function look(): Promise<Known> {
    const position = await readOffset.first(database, { consumer: "ledger" });
    const terms = createLedgerTerms();
    terms.learn({ currencies: await listCurrencies.all(database, {}), pairs: await listGrids.all(database, {}) });
    const mayTake = (await mayTakeRole.first(database, {}))?.allowed === true;
    if (!mayTake) log.warn("there is no role sluice_ledger that we may take: the ledger is written as its owner, and triggers alone protect it");
    if (position === undefined) throw new Error("ledger_consumer_offsets has no row for the ledger");
    return { position, terms, role: mayTake ? LEDGER_ROLE : OWN_ROLE };
  }

  /** One batch, or a short wait for there to be one. */
  async function step(): Promise<Step> {
    known ??= await look();
    const { position, terms, role } = known;
    const entries = await awaitJournal(redis, { after: position.sequence, count: entriesMax, waitMs: WAIT_MS });
    haltedFor = entries.length === 0 ? await faultOfSilence(redis, position) : faultOf(position, entries);
    if (haltedFor !== undefined) {
      log.fatal({ sequence: position.sequence }, `the ledger stops: ${haltedFor}`);
      return { pauseMs: 0 };
    }
    if (entries.length === 0) {
      await reportPosition(position.sequence);
      return { pauseMs: 0 };
    }
    const batch = prepare(entries, terms, rowsMax);
    await ensureMonths(batch.items);
    const written = await write(batch.items, { newTerms: newTermsIn(batch.changes, known.terms), before: position }, role);
    if (written.kind !== "written") {
      known = undefined;
      return { pauseMs: STANDBY_MS };
    }
    for (const changes of batch.changes) terms.learn(changes);
    known = { position: written.position, terms, role };
    entriesMax = Math.min(ENTRIES_MAX, entriesMax * 2);
    entriesWritten += batch.items.length;
    rowsWritten += batch.rows;
    await reportPosition(written.position.sequence);
    return { pauseMs: 0 };
  }

  async function write(items: readonly EntryToWrite[], rest: Pick<Parameters<typeof writeLedger>[1], "before" | "newTerms">, role: string) {
    try {
      const written = await writeLedger(database, { entries: items, ...rest }, role);
      if (written.kind === "written") for (const item of items) if ("parkedFor" in item) tellParked(item.entry, item.parkedFor);
      return written;
    } catch (error) {
      const [only] = items;
      if (!isRefusedData(error) || only === undefined) {
        // A server that is too slow for a large batch may be fast enough for a small one.
        entriesMax = Math.max(1, Math.floor(Math.min(entriesMax, items.length) / 2));
        throw error;
      }
      if (items.length > 1) return write([only], rest, role);
      if ("parkedFor" in only) throw error;
      return write([{ entry: only.entry, parkedFor: errorText(error) }], { before: rest.before, newTerms: { currencies: [], pairs: [] } }, role);
    }
  }

  function tellParked(entry: JournalEntry, reason: string): void {
    parked++;
    log.error({ sequence: entry.sequence, reason }, "a journal entry could not be posted and is parked: the audit will name what is missing");
  }

  async function ensureMonths(items: readonly EntryToWrite[]): Promise<void> {
    for (const item of items) {
      if (!("posted" in item)) continue;
      for (const { atMs } of [...item.posted.trades, ...item.posted.postings]) {
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

  return {
    step,
    /** What an error leaves behind is unknown: PostgreSQL is asked again. */
    forget: () => {
      known = undefined;
    },
    state: () => ({ sequence: known?.position.sequence, haltedFor, parked, entriesWritten, rowsWritten }),
  };
}

type Prepared = { readonly items: readonly EntryToWrite[]; readonly changes: readonly Changes[]; readonly rows: number };

/** As many entries as fit into one transaction, and one at least. */
function prepare(entries: readonly JournalEntry[], kept: LedgerTerms, rowsMax: number): Prepared {
  const items: EntryToWrite[] = [];
  const all: Changes[] = [];
  let rows = 0;
  // Terms of this batch are for this batch until it is written.
  const terms = withMore(kept);
  for (const entry of entries) {
    const { item, changes, rowCount } = prepareOne(entry, terms);
    if (items.length > 0 && rows + rowCount > rowsMax) break;
    items.push(item);
    if (changes !== undefined) all.push(changes);
    rows += rowCount;
  }
  return { items, changes: all, rows };
}

function withMore(kept: LedgerTerms): LedgerTerms {
  const more = createLedgerTerms();
  return {
    scaleOf: (currency) => more.scaleOf(currency) ?? kept.scaleOf(currency),
    gridOf: (pair, grid) => more.gridOf(pair, grid) ?? kept.gridOf(pair, grid),
    learn: more.learn,
  };
}

function prepareOne(entry: JournalEntry, terms: LedgerTerms) {
  try {
    const changes = changesFrom(entry.body);
    terms.learn(changes);
    const posted = postEntry(changes, terms);
    if (!posted.ok) return { item: { entry, parkedFor: posted.reason }, changes, rowCount: 1 };
    return { item: { entry, posted: posted.value }, changes, rowCount: posted.value.trades.length + posted.value.postings.length };
  } catch (error) {
    return { item: { entry, parkedFor: `it cannot be read: ${errorText(error)}` }, changes: undefined, rowCount: 1 };
  }
}

function faultOf(position: LedgerPosition, entries: readonly JournalEntry[]): string | undefined {
  let before = { sequence: position.sequence, hash: position.journalHash, command: position.command };
  for (const entry of entries) {
    const fault = faultOfNext(before, entry);
    if (fault !== undefined) return `${fault}. PostgreSQL and this Redis do not share one past.`;
    before = entry;
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

function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function monthOf(atMs: number): string {
  return `${new Date(atMs).toISOString().slice(0, 7)}-01`;
}
