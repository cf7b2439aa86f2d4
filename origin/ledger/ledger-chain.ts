import { createHash } from "node:crypto";
import type { Posted } from "./post-entry.ts";

/**
 * The ledger's own chain: each row of `ledger_entries` hashes what was posted for it together with the row before. Whoever changes, removes or
 * adds a row behind the triggers' back has to change every later hash as well.
 */
type ChainLink = { readonly previousHash: string; readonly sequence: number; readonly journalHash: string; readonly posted: Posted };

/** Before the first entry. */
export const FIRST_LEDGER_HASH = "";

export function ledgerHash({ previousHash, sequence, journalHash, posted }: ChainLink): string {
  const hash = createHash("sha256").update(`${previousHash}\n${sequence}\n${journalHash}\n`);
  // JSON, because references are users' own words and may hold any separator.
  for (const trade of posted.trades) {
    hash.update(
      `${JSON.stringify([
        ...[
          "t",
          trade.tradeId,
          trade.symbol,
          trade.grid,
          trade.buyUser,
          trade.sellUser,
          trade.buyOrderId,
          trade.sellOrderId,
          trade.takerSide,
        ],
        ...[trade.price, trade.qty, trade.value, trade.buyFee, trade.sellFee, trade.atMs],
      ])}\n`,
    );
  }
  for (const posting of posted.postings) {
    const { account, currency, amount, kind, cause, reference, atMs } = posting;
    hash.update(`${JSON.stringify(["p", account, currency, amount, kind, cause, reference, atMs])}\n`);
  }
  return hash.digest("base64url");
}
