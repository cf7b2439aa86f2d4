import type { Database } from "../../db/database.ts";
import { stepsOf } from "../../instruments/amounts.ts";
import { FIRST_LEDGER_HASH, ledgerHash } from "../ledger/ledger-chain.ts";
import { listCurrencies } from "../ledger/ledger-queries.ts";
import { listEntries, listPostings, listTrades } from "./audit-queries.ts";
import { type Findings, moneyText } from "./findings.ts";
import { noPace, type Pause, patiently } from "./pace.ts";

/** Totals by account and currency, in smallest steps. */
export type Totals = Map<string, Map<string, bigint>>;

/** The position of a walk through the ledger, and the totals of all accounts up to it. */
export type Walk = {
  readonly sequence: number;
  readonly hash: string;
  readonly lastTradeId: number;
  readonly trades: number;
  readonly postings: number;
  readonly totals: Totals;
  /** Accounts whose totals this walk has changed. */
  readonly touched: Set<string>;
};

export function startOfWalk(): Walk {
  return {
    sequence: 0,
    hash: FIRST_LEDGER_HASH,
    lastTradeId: 0,
    trades: 0,
    postings: 0,
    totals: new Map(),
    touched: new Set(),
  };
}

/** Pages are sized by postings, the most numerous rows. */
const ENTRIES_PER_PAGE = 500;
const POSTINGS_PER_PAGE = 4_000;
/** More trades than the entries count are stray rows; reading a few of them is enough to name them. */
const SPARE_TRADES = 10;

type WalkOptions = { readonly from: Walk; readonly upTo: number; readonly findings: Findings; readonly pause?: Pause };

/**
 * Walks the ledger from the end of an earlier walk up to an entry: recomputes every hash from the rows, checks that
 * trade ids have no gaps and that postings balance to zero, and reports each fault with its entry.
 */
export async function walkLedger(database: Database, options: WalkOptions): Promise<Walk> {
  const { upTo, findings, pause = noPace } = options;
  const scales = new Map((await listCurrencies.all(database, {})).map(({ currency, scale }) => [currency, scale]));
  let walk = options.from;
  while (walk.sequence < upTo) {
    const page = await readPage(database, walk, upTo);
    if (page.entries.length === 0) {
      findings.add("chain", `entry ${walk.sequence + 1} is missing from ledger_entries`);
      break;
    }
    for (const entry of page.entries) {
      if (entry.sequence !== walk.sequence + 1)
        findings.add("chain", `entries ${walk.sequence + 1} to ${entry.sequence - 1} are missing`);
      walk = passEntry(walk, { entry, posted: page.postedIn(entry.sequence), scales, findings });
    }
    for (const trade of page.strayTrades)
      findings.add("trades", `trade ${trade.tradeId} names entry ${trade.sequence}, which does not include it`);
    await pause();
  }
  return walk;
}

type Entry = Awaited<ReturnType<typeof listEntries.all>>[number];
type TradeRow = Awaited<ReturnType<typeof listTrades.all>>[number];
type PostingRow = Awaited<ReturnType<typeof listPostings.all>>[number];
type PostedRows = { readonly trades: readonly TradeRow[]; readonly postings: readonly PostingRow[] };

async function readPage(database: Database, walk: Walk, upTo: number) {
  const after = String(walk.sequence);
  const read = await patiently(() => listEntries.all(database, { after, upTo: String(upTo), limit: ENTRIES_PER_PAGE }));
  let rows = 0;
  const entries = read.filter((entry, index) => {
    rows += entry.postings;
    return index === 0 || rows <= POSTINGS_PER_PAGE;
  });
  const last = String(entries.at(-1)?.sequence ?? walk.sequence);
  const tradeCount = entries.reduce((sum, entry) => sum + entry.trades, 0);
  const tradesAsked = { afterTradeId: String(walk.lastTradeId), upTo: last, limit: tradeCount + SPARE_TRADES };
  const trades = await patiently(() => listTrades.all(database, tradesAsked));
  const postings = await patiently(() => listPostings.all(database, { after, upTo: last }));
  const tradesOf = Map.groupBy(trades, ({ sequence }) => sequence);
  const postingsOf = Map.groupBy(postings, ({ sequence }) => sequence);
  const known = new Set(entries.map(({ sequence }) => sequence));
  return {
    entries,
    postedIn: (sequence: number): PostedRows => ({
      trades: tradesOf.get(sequence) ?? [],
      postings: postingsOf.get(sequence) ?? [],
    }),
    strayTrades: trades.filter(({ sequence }) => !known.has(sequence)),
  };
}

type Passing = {
  readonly entry: Entry;
  readonly posted: PostedRows;
  readonly scales: ReadonlyMap<string, number>;
  readonly findings: Findings;
};

function passEntry(walk: Walk, { entry, posted, scales, findings }: Passing): Walk {
  const { sequence, journalHash } = entry;
  if (ledgerHash({ previousHash: walk.hash, sequence, journalHash, posted }) !== entry.hash) {
    findings.add("chain", `entry ${sequence} was changed: its hash does not match its rows`);
  }
  let { lastTradeId } = walk;
  for (const { tradeId } of posted.trades) {
    const id = Number(tradeId);
    if (id !== lastTradeId + 1) {
      findings.add(
        "trades",
        id > lastTradeId
          ? `trades ${lastTradeId + 1} to ${id - 1} are missing before entry ${sequence}`
          : `trade ${id} is repeated in entry ${sequence}`,
      );
    }
    lastTradeId = Math.max(lastTradeId, id);
  }
  const sums = new Map<string, bigint>();
  for (const { account, currency, amount } of posted.postings) {
    const steps = stepsOf(amount, scales.get(currency) ?? 0);
    addTo(walk.totals, { account, currency, steps });
    walk.touched.add(account);
    sums.set(currency, (sums.get(currency) ?? 0n) + steps);
  }
  for (const [currency, sum] of sums) {
    if (sum !== 0n)
      findings.add(
        "double entry",
        `entry ${sequence} does not balance: its sum is ${moneyText(sum, currency, scales)}`,
      );
  }
  return {
    ...{ sequence, hash: entry.hash, lastTradeId, totals: walk.totals, touched: walk.touched },
    trades: walk.trades + posted.trades.length,
    postings: walk.postings + posted.postings.length,
  };
}

export function addTo(
  totals: Totals,
  { account, currency, steps }: { account: string; currency: string; steps: bigint },
): void {
  let ofAccount = totals.get(account);
  if (ofAccount === undefined) {
    ofAccount = new Map();
    totals.set(account, ofAccount);
  }
  ofAccount.set(currency, (ofAccount.get(currency) ?? 0n) + steps);
}
