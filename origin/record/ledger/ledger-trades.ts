import { z } from "zod";
import { assert } from "../../shared/assert.ts";
import type { TradeRow } from "../engine/changes.ts";
import { stepsOf } from "./decimal.ts";
import { wholeNumber } from "./ledger-queries.ts";
import type { LedgerTerms } from "./ledger-terms.ts";

/** A trade as the ledger has it, in decimals. */
export const ledgerTradeSchema = z.object({
  id: wholeNumber,
  pair: z.string(),
  grid: z.int(),
  at: wholeNumber,
  price: z.string(),
  qty: z.string(),
  value: z.string(),
  takerSide: z.enum(["buy", "sell"]),
  buyOrderId: wholeNumber,
  sellOrderId: wholeNumber,
  buyUser: z.string(),
  sellUser: z.string(),
  buyFee: z.string(),
  sellFee: z.string(),
});

/** The same, counted as the engine counted it. */
export function tradeRow(recorded: z.output<typeof ledgerTradeSchema>, terms: LedgerTerms): TradeRow {
  const { price, qty, value, buyFee, sellFee, ...row } = recorded;
  const grid = terms.gridOf(row.pair, row.grid);
  const baseScale = terms.scaleOf(grid?.baseCurrency ?? "");
  const quoteScale = terms.scaleOf(grid?.quoteCurrency ?? "");
  assert(grid !== undefined && baseScale !== undefined && quoteScale !== undefined, "the ledger knows the grids of its trades");
  return {
    ...row,
    ticks: Number(stepsOf(price, quoteScale) / grid.tickSteps),
    lots: Number(stepsOf(qty, baseScale) / grid.lotSteps),
    value: stepsOf(value, quoteScale),
    buyFee: stepsOf(buyFee, baseScale),
    sellFee: stepsOf(sellFee, quoteScale),
  };
}
