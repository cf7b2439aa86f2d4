import type { JournalEntry } from "../commit/journal.ts";
import { type MoneyChanges, moneyChangesFrom } from "../commit/journal-body.ts";
import { createLedgerTerms, type LedgerTerms } from "./ledger-terms.ts";
import { postEntry } from "./post-entry.ts";
import type { EntryToWrite } from "./write-ledger.ts";

export type Prepared = {
  readonly items: readonly EntryToWrite[];
  readonly changes: readonly MoneyChanges[];
  readonly rows: number;
};

type Preparing = {
  readonly kept: LedgerTerms;
  /** What the batch before says of terms, if it is not kept yet. */
  readonly before: readonly MoneyChanges[];
  readonly rowsMax: number;
};

/** As many entries as one transaction should take; the last one may exceed the bound, because to try it is to have done its work. */
export function prepareBatch(entries: readonly JournalEntry[], { kept, before, rowsMax }: Preparing): Prepared {
  const items: EntryToWrite[] = [];
  const all: MoneyChanges[] = [];
  let rows = 0;
  // Terms of this batch are for this batch until it is written.
  const terms = withMore(kept);
  for (const changes of before) terms.learn(changes);
  for (const entry of entries) {
    const { item, changes, rowCount } = prepareOne(entry, terms);
    items.push(item);
    if (changes !== undefined) all.push(changes);
    rows += rowCount;
    if (rows >= rowsMax) break;
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
    const changes = moneyChangesFrom(entry.body);
    terms.learn(changes);
    const posted = postEntry(changes, terms);
    if (!posted.ok) return { item: { entry, parkedFor: posted.reason }, changes, rowCount: 1 };
    return { item: { entry, posted: posted.value }, changes, rowCount: posted.value.trades.length + posted.value.postings.length };
  } catch (error) {
    return { item: { entry, parkedFor: `it cannot be read: ${errorText(error)}` }, changes: undefined, rowCount: 1 };
  }
}

export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
