import { createGrids, type GridRow, type Grids, type GridTerms } from "../../instruments/grids.ts";
import type { JournalEntry } from "../../journal/journal.ts";
import { type MoneyChanges, moneyChangesFrom } from "../../journal/journal-body.ts";
import { postEntry } from "./post-entry.ts";
import type { EntryToWrite } from "./write-ledger.ts";

export type Prepared = {
  readonly items: readonly EntryToWrite[];
  readonly changes: readonly MoneyChanges[];
  readonly rows: number;
};

type Preparing = {
  readonly kept: Grids;
  /** Changes of the preceding batch whose terms are not in `kept` yet. */
  readonly before: readonly MoneyChanges[];
  readonly rowsMax: number;
};

/**
 * Prepares as many entries as one transaction should take. The last one may exceed the bound, because its work is done
 * by then.
 */
export function prepareBatch(entries: readonly JournalEntry[], { kept, before, rowsMax }: Preparing): Prepared {
  const items: EntryToWrite[] = [];
  const all: MoneyChanges[] = [];
  let rows = 0;
  // Terms of this batch count only for this batch until it is written.
  const grids = createGrids(kept);
  for (const changes of before) grids.learn(changes);
  for (const entry of entries) {
    const { item, changes, rowCount } = prepareOne(entry, grids);
    items.push(item);
    if (changes !== undefined) all.push(changes);
    rows += rowCount;
    if (rows >= rowsMax) break;
  }
  return { items, changes: all, rows };
}

function prepareOne(entry: JournalEntry, grids: Grids) {
  try {
    const changes = moneyChangesFrom(entry.body);
    grids.learn(changes);
    const posted = postEntry(changes, grids);
    if (!posted.ok) return { item: { entry, parkedFor: posted.reason }, changes, rowCount: 1 };
    return {
      item: { entry, posted: posted.value },
      changes,
      rowCount: posted.value.trades.length + posted.value.postings.length,
    };
  } catch (error) {
    return {
      item: { entry, parkedFor: `the entry is unreadable: ${errorText(error)}` },
      changes: undefined,
      rowCount: 1,
    };
  }
}

/** Currencies and grids of a batch that are new to the ledger. */
export function newTermsIn(all: readonly MoneyChanges[], kept: Grids): GridTerms {
  const currencies = new Map<string, GridTerms["currencies"][number]>();
  const pairs = new Map<string, GridRow>();
  for (const changes of all) {
    for (const row of changes.currencies)
      if (kept.findScale(row.currency) === undefined) currencies.set(row.currency, row);
    for (const row of changes.pairs)
      if (kept.find(row.pair, row.grid) === undefined) pairs.set(`${row.pair} ${row.grid}`, row);
  }
  return { currencies: [...currencies.values()], pairs: [...pairs.values()] };
}

export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
