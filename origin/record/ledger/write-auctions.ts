import type { Transaction } from "../../db/database.ts";
import { auctionRowFields } from "../../journal/auction-fields.ts";
import type { JournalEntry } from "../../journal/journal.ts";
import { insertAuctionOrders, insertAuctions } from "./ledger-queries.ts";
import type { Posted } from "./post-entry.ts";

type PostedEntry = { readonly entry: JournalEntry; readonly posted: Posted };

/** The public record of auctions, in the ledger's transaction: each page and each result once. */
export async function writeAuctions(tx: Transaction, entries: readonly PostedEntry[]): Promise<void> {
  const rows = entries.flatMap(({ entry, posted }) =>
    (posted.auctions ?? []).map((row) => ({ row, sequence: String(entry.sequence) })),
  );
  for (const { row, sequence } of rows) {
    const place = { pair: row.pair, number: String(row.number), grid: String(row.grid), sequence };
    if (row.kind === "orders") {
      const orders = JSON.stringify(auctionRowFields(row).at(-1));
      await insertAuctionOrders.all(tx, { ...place, first: String(row.from), orders });
    } else {
      await insertAuctions.all(tx, {
        ...place,
        rungAt: String(row.rungAt),
        referenceTicks: String(row.referenceTicks),
        orders: String(row.orders),
        ticks: String(row.ticks),
        lots: String(row.lots),
        firstTradeId: String(row.firstTradeId),
        trades: String(row.trades),
      });
    }
  }
}
