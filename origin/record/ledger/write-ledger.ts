import type { Database, Transaction } from "../../db/database.ts";
import type { GridTerms } from "../../instruments/grids.ts";
import type { JournalEntry } from "../../journal/journal.ts";
import { ledgerHash } from "./ledger-chain.ts";
import {
  beginWriting,
  insertBodies,
  insertCurrencies,
  insertEntries,
  insertGrids,
  insertParked,
  insertPostings,
  insertTrades,
  moveOffset,
  tryConsumerLock,
} from "./ledger-queries.ts";
import { NOTHING_POSTED, type Posted } from "./post-entry.ts";
import { writeAuctions } from "./write-auctions.ts";

/** The position of the ledger: its last entry, with the journal's hash and the ledger's own hash of it. */
export type LedgerPosition = {
  readonly sequence: number;
  readonly journalHash: string;
  readonly hash: string;
  readonly command: string;
};

/** A journal entry with its postings, or with the reason why it is parked. */
export type EntryToWrite =
  | { readonly entry: JournalEntry; readonly posted: Posted }
  | { readonly entry: JournalEntry; readonly parkedFor: string };

export type LedgerBatch = {
  readonly before: LedgerPosition;
  readonly entries: readonly EntryToWrite[];
  readonly newTerms: GridTerms;
  /** Called while the server is busy and this process is idle. */
  readonly meanwhile?: () => void;
};

/** `elsewhere`: the ledger is not at the position before the batch. `busy`: another process is writing it. */
export type Written =
  | { readonly kind: "written"; readonly position: LedgerPosition }
  | { readonly kind: "elsewhere" }
  | { readonly kind: "busy" };

/** PostgreSQL's keyword for the connection's own role. */
export const OWN_ROLE = "none";
export const LEDGER_ROLE = "sluice_ledger";

/** Both are shorter than the transaction limit, so that the server gives up before the client. */
const LOCK_MS_MAX = 2_000;
const STATEMENT_MS_MAX = 3_500;

/** Writes all rows of the batch and the new position, or nothing. */
export async function writeLedger(database: Database, batch: LedgerBatch, role: string): Promise<Written> {
  const entries = chained(batch);
  const position = entries.at(-1)?.position ?? batch.before;
  const kind = await database.transaction(async (tx): Promise<Written["kind"]> => {
    await beginJournalWrite(tx, role);
    if (!(await tryConsumerLock.first(tx, { consumer: "ledger" }))?.taken) return "busy";
    const moved = await moveOffset.first(tx, {
      consumer: "ledger",
      before: String(batch.before.sequence),
      after: String(position.sequence),
    });
    if (moved === undefined) return "elsewhere";
    await insertTerms(tx, batch.newTerms);
    // Sent together: the server runs them one after the other, and we wait once.
    const writing = Promise.all([
      writeEntries(tx, entries),
      writeTrades(tx, entries),
      writePostings(tx, entries),
      writeAuctions(tx, entries),
    ]);
    if (batch.meanwhile !== undefined) setImmediate(batch.meanwhile);
    await writing;
    await writeParked(tx, batch.entries);
    return "written";
  });
  return kind === "written" ? { kind, position } : { kind };
}

export async function beginJournalWrite(tx: Transaction, role: string): Promise<void> {
  await beginWriting.first(tx, { role, lockMs: String(LOCK_MS_MAX), statementMs: String(STATEMENT_MS_MAX) });
}

type ChainedEntry = { readonly entry: JournalEntry; readonly posted: Posted; readonly position: LedgerPosition };

function chained({ before, entries }: LedgerBatch): readonly ChainedEntry[] {
  let position = before;
  return entries.map((item) => {
    const { entry } = item;
    const posted = "posted" in item ? item.posted : NOTHING_POSTED;
    const hash = ledgerHash({ previousHash: position.hash, sequence: entry.sequence, journalHash: entry.hash, posted });
    position = { sequence: entry.sequence, journalHash: entry.hash, hash, command: entry.command };
    return { entry, posted, position };
  });
}

async function insertTerms(tx: Transaction, { currencies, pairs }: GridTerms): Promise<void> {
  if (currencies.length > 0) {
    await insertCurrencies.all(tx, {
      currencies: currencies.map(({ currency }) => currency),
      scales: currencies.map(({ scale }) => String(scale)),
    });
  }
  if (pairs.length === 0) return;
  await insertGrids.all(tx, {
    pairs: pairs.map(({ pair }) => pair),
    grids: pairs.map(({ grid }) => String(grid)),
    baseCurrencies: pairs.map(({ baseCurrency }) => baseCurrency),
    quoteCurrencies: pairs.map(({ quoteCurrency }) => quoteCurrency),
    tickSteps: pairs.map(({ tickSteps }) => tickSteps.toString()),
    lotSteps: pairs.map(({ lotSteps }) => lotSteps.toString()),
  });
}

async function writeEntries(tx: Transaction, entries: readonly ChainedEntry[]): Promise<void> {
  const sequences = entries.map(({ entry }) => String(entry.sequence));
  const hashes = entries.map(({ entry }) => entry.hash);
  const lastCommands = entries.map(({ entry }) => entry.command);
  await Promise.all([
    insertEntries.all(tx, {
      sequences,
      journalHashes: hashes,
      hashes: entries.map(({ position }) => position.hash),
      lastCommands,
      trades: entries.map(({ posted }) => String(posted.trades.length)),
      postings: entries.map(({ posted }) => String(posted.postings.length)),
    }),
    insertBodies.all(tx, {
      sequences,
      previousHashes: entries.map(({ entry }) => entry.previousHash),
      hashes,
      lastCommands,
      bodies: entries.map(({ entry }) => storable(entry.body)),
    }),
  ]);
}

async function writeTrades(tx: Transaction, entries: readonly ChainedEntry[]): Promise<void> {
  const trades = entries.flatMap(({ posted }) => posted.trades);
  if (trades.length === 0) return;
  await insertTrades.all(tx, {
    tradeIds: trades.map(({ tradeId }) => tradeId),
    sequences: entries.flatMap(({ entry, posted }) => posted.trades.map(() => String(entry.sequence))),
    symbols: trades.map(({ symbol }) => symbol),
    buyUsers: trades.map(({ buyUser }) => buyUser),
    sellUsers: trades.map(({ sellUser }) => sellUser),
    buyOrderIds: trades.map(({ buyOrderId }) => buyOrderId),
    sellOrderIds: trades.map(({ sellOrderId }) => sellOrderId),
    takerSides: trades.map(({ takerSide }) => takerSide),
    prices: trades.map(({ price }) => price),
    qtys: trades.map(({ qty }) => qty),
    values: trades.map(({ value }) => value),
    buyFees: trades.map(({ buyFee }) => buyFee),
    sellFees: trades.map(({ sellFee }) => sellFee),
    atMs: trades.map(({ atMs }) => atMs),
    grids: trades.map(({ grid }) => grid),
    auctions: trades.map(({ auction }) => auction),
  });
}

async function writePostings(tx: Transaction, entries: readonly ChainedEntry[]): Promise<void> {
  const postings = entries.flatMap(({ posted }) => posted.postings);
  if (postings.length === 0) return;
  await insertPostings.all(tx, {
    sequences: entries.flatMap(({ entry, posted }) => posted.postings.map(() => String(entry.sequence))),
    numbers: entries.flatMap(({ posted }) => posted.postings.map((_, number) => String(number))),
    accounts: postings.map(({ account }) => account),
    currencies: postings.map(({ currency }) => currency),
    amounts: postings.map(({ amount }) => amount),
    kinds: postings.map(({ kind }) => kind),
    causes: postings.map(({ cause }) => cause),
    references: postings.map(({ reference }) => reference),
    atMs: postings.map(({ atMs }) => atMs),
  });
}

async function writeParked(tx: Transaction, entries: readonly EntryToWrite[]): Promise<void> {
  const parked = entries.flatMap((item) => ("parkedFor" in item ? [item] : []));
  if (parked.length === 0) return;
  await insertParked.all(tx, {
    sequences: parked.map(({ entry }) => String(entry.sequence)),
    reasons: parked.map(({ parkedFor }) => storable(parkedFor)),
    bodies: parked.map(({ entry }) => storable(entry.body)),
  });
}

/** PostgreSQL cannot store a zero byte; our own JSON never contains one. */
function storable(text: string): string {
  return text.replaceAll("\0", "\uFFFD");
}
