import { fail, ok, type Result } from "../../shared/result.ts";
import type { MoneyChanges } from "../commit/journal-body.ts";
import type { MovementRow, TradeRow } from "../engine/changes.ts";
import { HOUSE_USER } from "../engine/terms.ts";
import { decimalOf } from "./decimal.ts";
import type { LedgerTerms } from "./ledger-terms.ts";

/** Where deposits come from and withdrawals go to. No user can have this name: users are numbers of 128 bits. */
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
};

export type Posting = {
  readonly account: string;
  readonly currency: string;
  /** What the account gains; negative for what it gives. */
  readonly amount: string;
  readonly kind: "trade" | "fee" | MovementRow["kind"];
  /** The trade's id, or the command's. */
  readonly cause: string;
  readonly reference: string;
  readonly atMs: string;
};

export type Posted = { readonly trades: readonly LedgerTrade[]; readonly postings: readonly Posting[] };

export const NOTHING_POSTED: Posted = { trades: [], postings: [] };

/**
 * One journal entry in double entry. Pure: the same changes and terms give the same rows, which is what the hash chain and the audit rest on.
 * Fails with a sentence if the entry speaks of a currency or a pair that nobody has told of.
 */
export function postEntry(changes: MoneyChanges, terms: LedgerTerms): Result<Posted, string> {
  const trades: LedgerTrade[] = [];
  const postings: Posting[] = [];
  for (const movement of changes.movements) {
    const scale = terms.scaleOf(movement.currency);
    if (scale === undefined) return fail(`command ${movement.commandId} moves ${movement.currency}, which is not known`);
    postings.push(...movementPostings(movement, scale));
  }
  for (const trade of changes.trades) {
    const posted = postTrade(trade, terms);
    if (!posted.ok) return posted;
    trades.push(posted.value.trade);
    postings.push(...posted.value.postings);
  }
  return ok({ trades, postings });
}

function movementPostings(row: MovementRow, scale: number): readonly Posting[] {
  const rest = { currency: row.currency, kind: row.kind, cause: row.commandId, reference: row.reference, atMs: String(row.at) };
  const from = row.kind === "deposit" ? OUTSIDE_ACCOUNT : row.from;
  const to = row.kind === "withdrawal" ? OUTSIDE_ACCOUNT : row.to;
  return [
    { account: from, amount: decimalOf(-row.amount, scale), ...rest },
    { account: to, amount: decimalOf(row.amount, scale), ...rest },
  ];
}

type PostedTrade = { readonly trade: LedgerTrade; readonly postings: readonly Posting[] };

function postTrade(row: TradeRow, terms: LedgerTerms): Result<PostedTrade, string> {
  const grid = terms.gridOf(row.pair, row.grid);
  const baseScale = grid && terms.scaleOf(grid.baseCurrency);
  const quoteScale = grid && terms.scaleOf(grid.quoteCurrency);
  if (grid === undefined || baseScale === undefined || quoteScale === undefined) {
    return fail(`trade ${row.id} is in ${row.pair} by grid ${row.grid}, which is not known`);
  }
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
    price: decimalOf(BigInt(row.ticks) * grid.tickSteps, quoteScale),
    qty: decimalOf(quantity, baseScale),
    value: decimalOf(row.value, quoteScale),
    buyFee: decimalOf(row.buyFee, baseScale),
    sellFee: decimalOf(row.sellFee, quoteScale),
    atMs: String(row.at),
  };
  const base = { currency: grid.baseCurrency, scale: baseScale, giver: row.sellUser, taker: row.buyUser, steps: quantity, fee: row.buyFee };
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

/** What is received is the whole less the fee; a fee can be the whole, and then nothing is received. */
function legsOf({ currency, scale, giver, taker, steps, fee }: Side, { tradeId, atMs }: LedgerTrade): readonly Posting[] {
  const rest = { currency, cause: tradeId, reference: "", atMs };
  const legs: Posting[] = [{ account: giver, amount: decimalOf(-steps, scale), kind: "trade", ...rest }];
  if (steps > fee) legs.push({ account: taker, amount: decimalOf(steps - fee, scale), kind: "trade", ...rest });
  if (fee > 0n) legs.push({ account: HOUSE_USER, amount: decimalOf(fee, scale), kind: "fee", ...rest });
  return legs;
}
