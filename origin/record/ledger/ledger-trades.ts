import { z } from "zod";
import type { TradeRow } from "../../engine/changes.ts";
import { stepsOf } from "../../instruments/amounts.ts";
import { lotsOf, ticksOf } from "../../instruments/grid.ts";
import type { Grids } from "../../instruments/grids.ts";
import { wholeNumber } from "./ledger-queries.ts";

/** A trade in the ledger, in decimals. */
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
  auction: z.int(),
});

/** Converts it back to the engine's ticks, lots and steps. */
export function tradeRow(recorded: z.output<typeof ledgerTradeSchema>, grids: Grids): TradeRow {
  const { price, qty, value, buyFee, sellFee, ...row } = recorded;
  const grid = grids.of(row.pair, row.grid);
  return {
    ...row,
    ticks: ticksOf(price, grid),
    lots: lotsOf(qty, grid),
    value: stepsOf(value, grid.quoteScale),
    buyFee: stepsOf(buyFee, grid.baseScale),
    sellFee: stepsOf(sellFee, grid.quoteScale),
  };
}
