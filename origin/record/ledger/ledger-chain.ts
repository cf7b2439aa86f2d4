import { hash } from "node:crypto";
import type { Posted } from "./post-entry.ts";

/**
 * The ledger's own hash chain: each row of `ledger_entries` hashes its postings together with the row before. A row
 * that is changed, removed or added around the triggers requires changing every later hash as well.
 */
type ChainLink = {
  readonly previousHash: string;
  readonly sequence: number;
  readonly journalHash: string;
  readonly posted: Posted;
};

/** Before the first entry. */
export const FIRST_LEDGER_HASH = "";

export function ledgerHash({ previousHash, sequence, journalHash, posted }: ChainLink): string {
  let text = `${previousHash}\n${sequence}\n${journalHash}\n`;
  // JSON, because references are clients' own text and may contain any separator.
  for (const trade of posted.trades) {
    const { tradeId, symbol, grid, buyUser, sellUser, buyOrderId, sellOrderId, takerSide } = trade;
    const { price, qty, value, buyFee, sellFee, atMs, auction } = trade;
    const parties = [buyUser, sellUser, buyOrderId, sellOrderId, takerSide];
    const facts = [price, qty, value, buyFee, sellFee, atMs, ...(auction === "0" ? [] : [auction])];
    text += `${JSON.stringify(["t", tradeId, symbol, grid, ...parties, ...facts])}\n`;
  }
  for (const { account, currency, amount, kind, cause, reference, atMs } of posted.postings) {
    text += `${JSON.stringify(["p", account, currency, amount, kind, cause, reference, atMs])}\n`;
  }
  return hash("sha256", text, "base64url");
}
