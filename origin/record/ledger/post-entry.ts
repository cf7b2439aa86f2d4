import { fail, ok, type Result } from "../../../shared/result.ts";
import type { AuctionRow } from "../../engine/auction/auction.ts";
import type { MovementRow, TradeRow } from "../../engine/changes.ts";
import { HOUSE_USER } from "../../engine/terms.ts";
import { ledgerText } from "../../instruments/amounts.ts";
import type { Grids } from "../../instruments/grids.ts";
import type { MoneyChanges } from "../../journal/journal-body.ts";

/**
 * The source of deposits and the destination of withdrawals. No user can have this name: user ids are 128-bit numbers.
 */
export const OUTSIDE_ACCOUNT = "outside";

export type LedgerTrade = {
  readonly tradeId: string;
  readonly symbol: string;
  readonly grid: string;
  readonly buyUser: string;
  readonly sellUser: string;
  readonly buyOrderId: string;
  readonly sellOrderId: string;
  readonly takerSide: string;
  readonly price: string;
  readonly qty: string;
  readonly value: string;
  readonly buyFee: string;
  readonly sellFee: string;
  readonly atMs: string;
  /** The number of the pair's auction, or 0. */
  readonly auction: string;
};

export type Posting = {
  readonly account: string;
  readonly currency: string;
  /** Positive for a credit, negative for a debit. */
  readonly amount: string;
  readonly kind: "trade" | "fee" | MovementRow["kind"];
  /** The id of the trade or of the command. */
  readonly cause: string;
  readonly reference: string;
  readonly atMs: string;
};

export type Posted = {
  readonly trades: readonly LedgerTrade[];
  readonly postings: readonly Posting[];
  /** The public record of auctions. The journal's hash covers it; the ledger's own is about money. */
  readonly auctions?: readonly AuctionRow[];
};

export const NOTHING_POSTED: Posted = { trades: [], postings: [] };

/**
 * Posts one journal entry in double entry. Pure: the same changes and terms give the same rows, which the hash chain
 * and the audit rely on. Fails if the entry names an unknown currency or pair.
 */
export function postEntry(changes: MoneyChanges, grids: Grids): Result<Posted, string> {
  const trades: LedgerTrade[] = [];
  const postings: Posting[] = [];
  for (const movement of changes.movements) {
    const scale = grids.findScale(movement.currency);
    if (scale === undefined)
      return fail(`command ${movement.commandId} moves the unknown currency ${movement.currency}`);
    postings.push(...movementPostings(movement, scale));
  }
  for (const trade of changes.trades) {
    const posted = postTrade(trade, grids);
    if (!posted.ok) return posted;
    trades.push(posted.value.trade);
    postings.push(...posted.value.postings);
  }
  return ok({ trades, postings, ...(changes.auctions === undefined ? {} : { auctions: changes.auctions }) });
}

function movementPostings(row: MovementRow, scale: number): readonly Posting[] {
  const rest = {
    currency: row.currency,
    kind: row.kind,
    cause: row.commandId,
    reference: row.reference,
    atMs: String(row.at),
  };
  const from = row.kind === "deposit" ? OUTSIDE_ACCOUNT : row.from;
  const to = row.kind === "withdrawal" ? OUTSIDE_ACCOUNT : row.to;
  return [
    { account: from, amount: ledgerText(-row.amount, scale), ...rest },
    { account: to, amount: ledgerText(row.amount, scale), ...rest },
  ];
}

type PostedTrade = { readonly trade: LedgerTrade; readonly postings: readonly Posting[] };

function postTrade(row: TradeRow, grids: Grids): Result<PostedTrade, string> {
  const grid = grids.find(row.pair, row.grid);
  if (grid === undefined) return fail(`trade ${row.id} is on the unknown grid ${row.grid} of ${row.pair}`);
  const { baseScale, quoteScale } = grid;
  const quantity = BigInt(row.lots) * grid.lotSteps;
  const trade = {
    tradeId: String(row.id),
    symbol: row.pair,
    grid: String(row.grid),
    buyUser: row.buyUser,
    sellUser: row.sellUser,
    buyOrderId: String(row.buyOrderId),
    sellOrderId: String(row.sellOrderId),
    takerSide: row.takerSide,
    price: ledgerText(BigInt(row.ticks) * grid.tickSteps, quoteScale),
    qty: ledgerText(quantity, baseScale),
    value: ledgerText(row.value, quoteScale),
    buyFee: ledgerText(row.buyFee, baseScale),
    sellFee: ledgerText(row.sellFee, quoteScale),
    atMs: String(row.at),
    auction: String(row.auction),
  };
  const base = {
    currency: grid.baseCurrency,
    scale: baseScale,
    giver: row.sellUser,
    taker: row.buyUser,
    steps: quantity,
    fee: row.buyFee,
  };
  const quote = {
    currency: grid.quoteCurrency,
    scale: quoteScale,
    giver: row.buyUser,
    taker: row.sellUser,
    steps: row.value,
    fee: row.sellFee,
  };
  return ok({ trade, postings: [...legsOf(base, trade), ...legsOf(quote, trade)] });
}

type Side = {
  readonly currency: string;
  readonly scale: number;
  readonly giver: string;
  readonly taker: string;
  readonly steps: bigint;
  readonly fee: bigint;
};

/** The taker receives the amount minus the fee; a fee can be the whole amount, and then nothing is received. */
function legsOf(
  { currency, scale, giver, taker, steps, fee }: Side,
  { tradeId, atMs }: LedgerTrade,
): readonly Posting[] {
  const rest = { currency, cause: tradeId, reference: "", atMs };
  const legs: Posting[] = [{ account: giver, amount: ledgerText(-steps, scale), kind: "trade", ...rest }];
  if (steps > fee) legs.push({ account: taker, amount: ledgerText(steps - fee, scale), kind: "trade", ...rest });
  if (fee > 0n) legs.push({ account: HOUSE_USER, amount: ledgerText(fee, scale), kind: "fee", ...rest });
  return legs;
}
