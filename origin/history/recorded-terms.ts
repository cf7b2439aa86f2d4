import type { Database } from "../db/database.ts";
import { listCurrencies, listGrids } from "../ledger/ledger-queries.ts";
import { createLedgerTerms, type LedgerTerms } from "../ledger/ledger-terms.ts";
import { createGrids, type Grids } from "../projections/grids.ts";

/** Every currency and grid that anything was ever traded in. They never change, so they are read when one is met that is not known yet. */
export type RecordedTerms = {
  readonly grids: Grids;
  readonly ledger: LedgerTerms;
  readonly meet: (rows: readonly { readonly pair: string; readonly grid: number }[]) => Promise<void>;
  readonly meetCurrencies: (currencies: readonly string[]) => Promise<void>;
};

export function createRecordedTerms(database: Database): RecordedTerms {
  const grids = createGrids();
  const ledger = createLedgerTerms();

  async function read(): Promise<void> {
    const currencies = await listCurrencies.all(database, {});
    const pairs = await listGrids.all(database, {});
    for (const row of currencies) grids.putCurrency(row);
    for (const row of pairs) grids.putPair(row);
    ledger.learn({ currencies, pairs });
  }

  return {
    grids,
    ledger,
    async meet(rows) {
      if (rows.some(({ pair, grid }) => grids.find(pair, grid) === undefined)) await read();
    },
    async meetCurrencies(currencies) {
      if (currencies.some((currency) => ledger.scaleOf(currency) === undefined)) await read();
    },
  };
}
